// Before the first paint: the theme that was chosen here, if one was.
try {
  const theme = localStorage.getItem("earshot-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing follows its system.
}
