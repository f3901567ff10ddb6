/** Finds comments that stand for code that the model did not write, such as "// ... rest of the file unchanged". */

const COMMENT = /^\s*(?:\/\/+|#+|\/\*+|\{\/\*|<!--|--|;+|\*)\s*(.*?)\s*(?:\*\/\}?|-->)?\s*$/;
const DOTS = "(?:\\.{3}|…)";
const CODE = "(?:code|file|functions?|class(?:es)?|methods?|module|body|implementation|logic|contents?|imports|exports|lines|tests|cases|definitions|helpers)";
const KEPT = "(?:unchanged|the same|same as|as before|as is|as it was|omitted|not shown|goes here|here|remains?|stays?)";

const ELISIONS = [
  // ...
  `^${DOTS}$`,
  // ... rest of the code, ... existing code ...
  `^${DOTS}\\s+(?:\\S+\\s+){0,6}(?:rest|remaining|remainder|existing|unchanged|same|omitted|as before)\\b`,
  `^${DOTS}\\s+(?:the |your )?${CODE}(?: here)?\\s*${DOTS}?$`,
  // rest of the file remains the same
  `^\\(?(?:the )?(?:rest|remainder) (?:of (?:the |this |your )?(?:\\S+ )?${CODE}(?:$|\\)|\\s*${DOTS}|.*\\b${KEPT}\\b)|(?:is |are )?${KEPT}\\b)`,
  // other methods unchanged, existing code here, remaining tests ...
  `^\\(?(?:the |all )?(?:remaining|other|existing|previous|original) ${CODE}\\b(?:.*\\b${KEPT}\\b|\\s*${DOTS}|\\)?\\.?$)`,
  // unchanged, code stays as before
  `^\\(?(?:unchanged|no changes?|same as (?:before|above)|(?:code|everything(?: else)?) (?:is |are |remains |stays )?${KEPT})\\)?\\.?$`,
].map((source) => new RegExp(source, "i"));

/** The first such line in `text` that `before` does not have already, or undefined. */
export function findElision(text: string, before: string): string | undefined {
  const known = new Set(before.split(/\r?\n/).map((line) => line.trim()));
  return text.split(/\r?\n/).map((line) => line.trim()).find((line) => {
    const comment = COMMENT.exec(line)?.[1];
    return comment !== undefined && !known.has(line) && ELISIONS.some((pattern) => pattern.test(comment));
  });
}
