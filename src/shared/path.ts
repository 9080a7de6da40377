// Absolute POSIX paths, by component, as text only. src/process/real-path.ts resolves links.

export function isAbsolutePath(path: string): boolean {
  return path.startsWith("/");
}

/** Removes `//`, `.` and a trailing slash. It keeps `..`, because its meaning depends on links. */
export function tidyPath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return `/${parts.join("/")}`;
}

/** True if `path` is `root` or lies below it, by whole components. Both must be normalized and without `..`. */
export function isWithin(path: string, root: string): boolean {
  if (root === "/") return path.startsWith("/");
  return path === root || path.startsWith(`${root}/`);
}

export function parentPath(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut <= 0 ? "/" : path.slice(0, cut);
}

export function joinPath(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** `/a/b` gives `/a`, `/a/b`; parents first. */
export function ancestorsOf(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`);
}
