/**
 * Trains a byte-level BPE (Sennrich et al. 2016; byte alphabet of GPT-2) and writes it in tokenizer.json form.
 * Its pieces suit code that is to be copied: a word is the same token wherever it stands, and what surrounds it
 * (indentation, digits, operators) stays in pieces of its own.
 */

/** Pieces, in order of trial. Every character falls into exactly one, so joining the pieces gives the text back. */
const PIECES = [
  "\\r?\\n[ \\t]*", // a line end with the indentation that follows
  "[ \\t]{2,}|\\t", // indentation elsewhere, e.g. after a line number
  " ?\\p{Lu}?\\p{Ll}+", // word, Word: "parseRange" is parse + Range
  " ?\\p{Lu}+(?!\\p{Ll})", // NAME: "HTMLParser" is HTML + Parser
  " ?\\p{L}", // letters without case
  " ?\\p{N}", // digits one by one
  " ?#", // alone, so that it can stand around any other
  " ?[^ \\t\\r\\n\\p{L}\\p{N}#]{1,3}", // operators and brackets, in short runs
  "[ \\r]",
].join("|");

/** Unicode character that stands for each byte in a vocabulary: printable Latin-1 for itself, the others from U+0100. */
const BYTE_CHARS: readonly string[] = (() => {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCharCode(printable ? byte : next++);
  });
})();

export interface BpeOptions {
  /** All tokens together: 256 bytes, merges and special tokens. */
  vocabSize: number;
  /** Added as they are, after the merges. Those of the form `<|…|>` are marked special (control) tokens. */
  specialTokens: readonly string[];
}

/** A piece of text that occurs `count` times, as the token ids it currently consists of. */
interface Word {
  ids: number[];
  count: number;
}

/**
 * The tokenizer.json object. Deterministic: the most frequent pair is merged first, ties go to the smaller ids.
 * It stops early, with a smaller vocabulary, when no pair occurs twice.
 */
export function trainBpe(texts: Iterable<string>, { vocabSize, specialTokens }: BpeOptions): object {
  const mergeCount = vocabSize - 256 - specialTokens.length;
  if (mergeCount < 0) throw new RangeError(`trainBpe: vocabSize ${vocabSize} is below 256 bytes + ${specialTokens.length} special tokens`);
  const words = countWords(texts, specialTokens);
  const tokens = BYTE_CHARS.slice();
  // Two merges may spell the same token ("a"+"bc", "ab"+"c"): it keeps one id.
  const idOf = new Map(tokens.map((token, id) => [token, id]));
  const merges: [string, string][] = [];

  // Pairs are keyed a·65536 + b. `where` holds indices of words that contain or once contained the pair.
  const counts = new Map<number, number>();
  const where = new Map<number, Set<number>>();
  const add = (a: number, b: number, index: number, count: number): void => {
    const key = a * 65536 + b;
    const total = (counts.get(key) ?? 0) + count;
    if (total === 0) counts.delete(key);
    else counts.set(key, total);
    if (count < 0) return;
    const set = where.get(key);
    if (set === undefined) where.set(key, new Set([index]));
    else set.add(index);
  };
  words.forEach(({ ids, count }, index) => {
    for (let i = 1; i < ids.length; i++) add(ids[i - 1], ids[i], index, count);
  });

  while (tokens.length < 256 + mergeCount) {
    let best = -1;
    let bestCount = 1;
    for (const [key, count] of counts) {
      if (count > bestCount || (count === bestCount && count > 1 && key < best)) [best, bestCount] = [key, count];
    }
    if (best < 0) break;
    const [left, right] = [Math.floor(best / 65536), best % 65536];
    const spelling = tokens[left] + tokens[right];
    const merged = idOf.get(spelling) ?? tokens.push(spelling) - 1;
    idOf.set(spelling, merged);
    merges.push([tokens[left], tokens[right]]);
    for (const index of where.get(best)!) {
      const { ids, count } = words[index];
      for (let i = 1; i < ids.length; i++) add(ids[i - 1], ids[i], index, -count);
      for (let i = 1; i < ids.length; i++) if (ids[i - 1] === left && ids[i] === right) ids.splice(i - 1, 2, merged);
      for (let i = 1; i < ids.length; i++) add(ids[i - 1], ids[i], index, count);
    }
    where.delete(best);
  }
  return tokenizerJson(tokens, merges, specialTokens);
}

/** Distinct pieces with their counts, special tokens cut out, in order of first occurrence. */
function countWords(texts: Iterable<string>, specialTokens: readonly string[]): Word[] {
  const escaped = specialTokens.toSorted((a, b) => b.length - a.length).map((token) => token.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  const special = new RegExp(escaped.length > 0 ? escaped.join("|") : "(?!)", "u");
  const pieces = new RegExp(PIECES, "gu");
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const part of text.split(special)) {
      for (const piece of part.match(pieces) ?? []) counts.set(piece, (counts.get(piece) ?? 0) + 1);
    }
  }
  const encoder = new TextEncoder();
  return [...counts].map(([piece, count]) => ({ ids: [...encoder.encode(piece)], count }));
}

function tokenizerJson(tokens: string[], merges: [string, string][], specialTokens: readonly string[]): object {
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: specialTokens.map((content, i) => ({
      id: tokens.length + i, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: /^<\|.*\|>$/.test(content),
    })),
    normalizer: null,
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Split", pattern: { Regex: PIECES }, behavior: "Isolated", invert: false },
        { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: "BPE", dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null,
      fuse_unk: false, byte_fallback: false, ignore_merges: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
    },
  };
}
