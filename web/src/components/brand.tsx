import "./brand.css";

export function Brand() {
  return (
    <a className="brand" href="/" aria-label="Earshot, home">
      <Mark />
      Earshot
    </a>
  );
}

function Mark() {
  return (
    <svg viewBox="4 4 24 25" aria-hidden="true">
      <g fill="none" strokeWidth="3.2" strokeLinecap="round" strokeLinejoin="round">
        <path stroke="currentColor" d="M6.5 16.5h12a6.2 6.2 0 1 0-1.9 4.5" />
        <path className="wave" d="M21.4 6.3A13.6 13.6 0 0 1 21.4 26.5" />
      </g>
    </svg>
  );
}
