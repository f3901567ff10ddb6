import { expect, test } from "vitest";
import { findElision } from "./elision.ts";

test.each([
  "// ...", "  // … ", "# ...", "/* ... */", "{/* ... existing code ... */}", "<!-- rest of the file unchanged -->",
  "// ... rest of the code", "// ... existing code ...", "// ... (remaining methods unchanged)", "// ... code here ...", "// ... the code",
  "// rest of the file remains the same", "// Rest of code...", "// the rest of the function stays the same", "// rest unchanged", "// (rest of file)",
  "// other methods unchanged", "// existing code here", "// existing code", "// remaining tests ...", "// previous imports stay as is", "// all other functions remain the same",
  "// unchanged", "// no changes", "// same as before", "// code unchanged", "// everything else stays the same.",
])("stands for missing code: %s", (line) => {
  expect(findElision(`a();\n${line}\r\nb();`, "a();")).toBe(line.trim());
  expect(findElision(line, `x();\n    ${line.trim()}\n`)).toBeUndefined();
});

test.each([
  "const rest = [...items];", "fn(...args);", "// ...args are collected here", "// the rest parameter comes last", "// return the remaining items",
  "// other users keep their seats", "// existing entries win over new ones", "// previous value, or null", "// code points above 0xffff take two units", "/** Names of all other players. */",
  "// loops until unchanged twice", "#rest = 1;", "...", "  ...defaults,", "// one, two, ...", "// rest", "// keeps the same order as before",
])("is ordinary code: %s", (line) => expect(findElision(line, "")).toBeUndefined());
