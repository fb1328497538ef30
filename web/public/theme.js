// Applies the stored theme before the first paint.
try {
  const theme = localStorage.getItem("earshot-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage unavailable: follow the system.
}
