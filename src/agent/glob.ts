/** Path patterns: `*` and `?` within a folder, `**` across folders, `[abc]`, `{a,b}`. */

/** Throws a `SyntaxError` for a pattern that cannot be read. A pattern without a slash matches file names anywhere. */
export function globPattern(pattern: string): RegExp {
  const anywhere = pattern.includes("/") ? "" : "(?:.*/)?";
  let depth = 0;
  const source = pattern.replace(/\*\*\/|\*\*|\*|\?|\[!?[^\]/]+\]|[{},]|[^*?[{},]+|\[/g, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    if (part === "{") return (depth++, "(?:");
    if (part === "}" && depth > 0) return (depth--, ")");
    if (part === "," && depth > 0) return "|";
    if (part.length > 1 && part.startsWith("[")) return part.replace(/^\[!/, "[^").replaceAll("\\", "\\\\");
    return part.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${anywhere}${source}$`, "u");
}
