/** Documents of the pretraining text: demonstrations in the real harness, and plain modules. */
import { CAPS, runEpisode } from "../../src/agent/index.ts";
import type { Random } from "../../src/compute/index.ts";
import type { ChatFormat } from "../../src/model/index.ts";
import { createScriptedPolicy } from "../../src/policy/index.ts";
import type { Files, SandboxFactory } from "../../src/sandbox/index.ts";
import { exampleText, located, type Task } from "../../src/tasks/index.ts";
import { type Document, NEVER } from "./batches.ts";
import { randomBugs } from "./bug.ts";
import { expertScript, type KnownFix } from "./expert.ts";
import { randomModule } from "./random-programs.ts";
import { renamer } from "./rename.ts";
import { Names } from "./words.ts";

export interface Harness {
  chat: ChatFormat;
  factory: SandboxFactory;
}

/** One scripted episode; null when it does not end with the file fixed (then it teaches nothing good). */
async function demonstrate(harness: Harness, task: { id: string; env: string; statement: string; files: Files }, fix: KnownFix, random: Random): Promise<Document | null> {
  const sandbox = await harness.factory.create(task.files);
  try {
    const script = expertScript(fix, random);
    const policy = createScriptedPolicy({ chat: harness.chat, contextLength: CAPS.tadpole.tokens, script: script.answer });
    const { ledger, stop } = await runEpisode({
      task, policy, sandbox, caps: CAPS.tadpole,
      key: { seed: 0, update: 0, task: task.id, attempt: 0 },
      sampling: { temperature: 1, topK: 0, topP: 1 },
    });
    if (stop !== "done" || (await sandbox.readFile(fix.file)) !== fix.fixed) return null;
    return { ids: Uint16Array.from(ledger.ids), sampled: roles(ledger.sampled, script.slips) };
  } finally {
    await sandbox.dispose();
  }
}

/** The ledger's marks, with those of so many turns after the first replaced by `NEVER`. */
function roles(sampled: number[], slips: number): Uint8Array {
  let current = -1;
  return Uint8Array.from(sampled, (mark, i) => {
    if (mark === 1 && sampled[i - 1] !== 1) current++;
    return mark === 1 && current >= 1 && current <= slips ? NEVER : mark;
  });
}

/** Demonstrations over one random module, one for each bug. A share of the statements gives no example, as level 2 does. */
export async function randomDocuments(harness: Harness, random: Random): Promise<Document[]> {
  const module = randomModule(random);
  const documents: Document[] = [];
  for (const bug of randomBugs(random, module, 3)) {
    const what = random.uniform() < 0.8 ? exampleText(bug) : random.pick([`wrong result for ${bug.call}`, `returns ${bug.expected}`, `${bug.function} of ${bug.call.slice(bug.function.length + 1, -1)}`]);
    const statement = located({ file: module.file, function: bug.function, failures: [] }, what, random.int(0, 2));
    const task = { id: "random", env: "random", statement, files: { [module.file]: bug.buggy } };
    const document = await demonstrate(harness, task, { file: module.file, function: bug.function, buggy: bug.buggy, fixed: module.source }, random);
    if (document !== null) documents.push(document);
  }
  return documents;
}

/** Share of the demonstrations on real code that are shown under random names. */
const RENAMED_SHARE = 0.3;
const LOCATED = /([\w$.]+) (?:in |\()(src\/[\w./-]+?\.\w+)/;

/** A demonstration on a task of a training environment. Only single bugs whose statement names the place are shown. */
export async function taskDocument(harness: Harness, task: Task, random: Random): Promise<Document | null> {
  if (task.use !== "demonstration" || task.split !== "train") throw new Error(`task ${task.id} is for ${task.use} in ${task.split}: it must not enter pretraining`);
  const [file, ...others] = Object.keys(task.gold);
  const place = LOCATED.exec(task.statement);
  if (others.length > 0 || place === null) return null;
  if (random.uniform() >= RENAMED_SHARE) return demonstrate(harness, task, { file, function: place[1], buggy: task.files[file], fixed: task.gold[file] }, random);
  const rename = renamer(task.gold[file], random);
  const path = `src/${new Names(random).file()}.js`;
  const fix = { file: path, function: rename(place[1]), buggy: rename(task.files[file]), fixed: rename(task.gold[file]) };
  const statement = rename(task.statement.replaceAll(file, "\0")).replaceAll("\0", path);
  return demonstrate(harness, { ...task, statement, files: { [path]: fix.buggy } }, fix, random);
}

/** A module as plain text, to be known by heart: what is odd about code shows against what is usual there. */
export function moduleDocument(chat: ChatFormat, path: string, source: string, end: number): Document {
  const ids = [...chat.encode(`${path}\n${source}`).slice(0, CAPS.tadpole.tokens - 1), end];
  return { ids: Uint16Array.from(ids), sampled: new Uint8Array(ids.length).fill(1) };
}
