import "./styles/tokens.css";
import "./styles/app.css";
