/** Documents of the pretraining text: demonstrations in the real harness, and plain modules. */
import { type Caps, CAPS, runEpisode } from "../../src/agent/index.ts";
import type { Random } from "../../src/compute/index.ts";
import type { ChatFormat } from "../../src/model/index.ts";
import { createScriptedPolicy } from "../../src/policy/index.ts";
import type { Files, SandboxFactory } from "../../src/sandbox/index.ts";
import { EPISODE_LIMITS, exampleText, importLine, located, REPRODUCTION, reproductionScript, SHOWN_BY, type Task } from "../../src/tasks/index.ts";
import { type Document, NEVER } from "./batches.ts";
import { randomBugs } from "./bug.ts";
import { type ExpertOptions, type ExpertScript, expertScript, type KnownFix } from "./expert.ts";
import { randomModule } from "./random-programs.ts";
import { renamer } from "./rename.ts";
import { Names } from "./words.ts";

export interface Harness {
  chat: ChatFormat;
  factory: SandboxFactory;
  caps: Caps;
}

/** For a tokenizer that writes single bytes. */
export const BYTE_CAPS: Caps = { ...CAPS.tadpole, tokens: 8 * CAPS.tadpole.tokens, turnTokens: 8 * CAPS.tadpole.turnTokens };

/** What an episode starts from, and how it should end. */
export interface Problem {
  task: { id: string; env: string; statement: string; files: Files };
  fix: KnownFix;
}

/** One scripted episode; null when it does not end with the file fixed (then it teaches nothing good). */
export async function demonstrate(harness: Harness, problem: Problem, options: ExpertOptions): Promise<Document | null> {
  const script = expertScript(problem.fix, options);
  if (script === null) return null;
  // A wrong replacement may satisfy the script.
  return (await perform(harness, problem, script)) ?? (script.masked.length > 0 ? demonstrate(harness, problem, { mistakes: [] }) : null);
}

async function perform(harness: Harness, { task, fix }: Problem, script: ExpertScript): Promise<Document | null> {
  const sandbox = await harness.factory.create(task.files, EPISODE_LIMITS);
  try {
    const policy = createScriptedPolicy({ chat: harness.chat, contextLength: harness.caps.tokens, script: script.answer });
    const { ledger, stop } = await runEpisode({
      task, policy, sandbox, caps: harness.caps,
      key: { seed: 0, update: 0, task: task.id, attempt: 0 },
      sampling: { temperature: 1, topK: 0, topP: 1 },
    });
    if (stop !== "done" || (await sandbox.readFile(fix.file)) !== fix.fixed) return null;
    return { ids: Uint16Array.from(ledger.ids), sampled: roles(harness.chat, ledger, script) };
  } finally {
    await sandbox.dispose();
  }
}

/** The ledger's marks, with `NEVER` for tokens that hold a masked character of the second turn's command. */
function roles(chat: ChatFormat, { ids, sampled }: { ids: number[]; sampled: number[] }, { edit, masked }: ExpertScript): Uint8Array {
  const marks = Uint8Array.from(sampled);
  const starts = sampled.flatMap((mark, i) => (mark === 1 && sampled[i - 1] !== 1 ? [i] : []));
  const [from, until] = [starts[1], sampled.indexOf(0, starts[1])];
  const shift = chat.decode(ids.slice(from, until)).indexOf(edit);
  let start = -shift;
  for (let i = from; i < until && masked.length > 0; i++) {
    const end = chat.decode(ids.slice(from, i + 1)).length - shift;
    if (masked.some(([first, last]) => start < last && end > first)) marks[i] = NEVER;
    start = end;
  }
  return marks;
}

/** One problem for each bug of a random module. A share of the statements gives no example, as level 2 does. */
export function* randomProblems(random: Random): Generator<Problem> {
  const module = randomModule(random);
  const { file, source: fixed } = module;
  for (const bug of randomBugs(random, module, 3)) {
    const { function: name, buggy } = bug;
    const hasScript = random.uniform() < 0.9;
    const what = hasScript ? exampleText(bug) : random.pick([`wrong result for ${bug.call}`, `returns ${bug.expected}`, `${name} of ${bug.call.slice(name.length + 1, -1)}`]);
    const statement = located({ file, function: name, failures: [] }, what, random.int(0, 2)) + (hasScript ? `\n${SHOWN_BY}` : "");
    const script: Files = hasScript ? { [REPRODUCTION]: reproductionScript([{ ...bug, setup: exportsIn(fixed).filter((one) => bug.call.includes(one)).map((one) => importLine(one, file)) }]) } : {};
    yield { task: { id: "random", env: "random", statement, files: { [file]: buggy, ...script } }, fix: { file, function: name, buggy, fixed, hasScript } };
  }
}

const exportsIn = (source: string): string[] => [...source.matchAll(/^export (?:function|class|const) ([\w$]+)/gm)].map((found) => found[1]);

/** Demonstrations over one random module. */
export async function randomDocuments(harness: Harness, random: Random): Promise<Document[]> {
  const documents: Document[] = [];
  for (const problem of randomProblems(random)) {
    const document = await demonstrate(harness, problem, { random });
    if (document !== null) documents.push(document);
  }
  return documents;
}

/** Share of the demonstrations on real code that are shown under random names. */
const RENAMED_SHARE = 0.3;
const LOCATED = /([\w$.]+) (?:in |\()(src\/[\w./-]+?\.\w+)/;

/** A task of a training environment, in its own words or under random names. Null for all but single bugs whose statement names the place. */
export function taskProblem(task: Task, random: Random): Problem | null {
  if (task.use !== "demonstration" || task.split !== "train") throw new Error(`task ${task.id} is for ${task.use} in ${task.split}: it must not enter pretraining`);
  const [file, ...others] = Object.keys(task.gold);
  const place = LOCATED.exec(task.statement);
  if (others.length > 0 || place === null) return null;
  if (random.uniform() >= RENAMED_SHARE) {
    return { task, fix: { file, function: place[1], buggy: task.files[file], fixed: task.gold[file], hasScript: REPRODUCTION in task.files } };
  }
  const rename = renamer(task.gold[file], random);
  const path = `src/${new Names(random).file()}.js`;
  // The script keeps its name, and its module's under the new one.
  const renamed = (text: string) => rename(text.replaceAll(file, "\0").replaceAll(REPRODUCTION, "\x01")).replaceAll("\0", path).replaceAll("\x01", REPRODUCTION);
  const script = task.files[REPRODUCTION];
  const buggy = rename(task.files[file]);
  return {
    task: { ...task, statement: renamed(task.statement), files: { [path]: buggy, ...(script === undefined ? {} : { [REPRODUCTION]: renamed(script) }) } },
    fix: { file: path, function: rename(place[1]), buggy, fixed: rename(task.gold[file]), hasScript: script !== undefined },
  };
}

/** A demonstration on a task of a training environment. */
export async function taskDocument(harness: Harness, task: Task, random: Random): Promise<Document | null> {
  const problem = taskProblem(task, random);
  return problem && demonstrate(harness, problem, { random });
}

/** A module as plain text, to be known by heart: what is odd about code shows against what is usual there. */
export function moduleDocument(chat: ChatFormat, path: string, source: string, end: number): Document {
  const ids = [...chat.encode(`${path}\n${source}`).slice(0, CAPS.tadpole.tokens - 1), end];
  return { ids: Uint16Array.from(ids), sampled: new Uint8Array(ids.length).fill(1) };
}
