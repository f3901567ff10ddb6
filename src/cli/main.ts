/**
 * The command line. Each command lives in a file of its own, loaded only when it runs, and returns an `Outcome`; this
 * file declares the options and turns outcomes and errors into output and an exit status (0 only on success).
 */
import { Command, CommanderError, InvalidArgumentError } from "commander";
import type { CommandContext, Outcome } from "./command.ts";
import type { EvalOptions } from "./eval.ts";
import type { ExperimentOptions } from "./experiment.ts";
import { clearProgress, startProgress } from "./progress.ts";
import type { SolveOptions } from "./solve.ts";

interface CommonOptions {
  json?: boolean;
  debug?: boolean;
}

const program = new Command("frogpond")
  .description("A coding agent that runs and trains itself: tasks from repositories, rollouts in a sandbox, RL on a LoRA adapter.")
  .exitOverride()
  .showHelpAfterError("(--help shows the options)");

/** A leaf command with the options all commands share; `action` gets its arguments and options. */
function leaf(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option("--json", "make the last line of output one JSON object").option("--debug", "show the stack of an error");
}

function onRun<A extends unknown[]>(command: Command, action: (context: CommandContext, ...args: A) => Promise<Outcome>): Command {
  return command.action(async (...args: unknown[]) => {
    const options = command.opts<CommonOptions>();
    await execute(options, (context) => action(context, ...(args.slice(0, -1) as A)));
  });
}

const integer = (low: number) => (text: string) => {
  const value = Number(text);
  if (text.trim() === "" || !Number.isSafeInteger(value) || value < low) throw new InvalidArgumentError(`It must be a whole number, ${low} or more.`);
  return value;
};
const temperature = (text: string) => {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value < Infinity)) throw new InvalidArgumentError("It must be a number, 0 (greedy) or more.");
  return value;
};
const withDevice = (command: Command) => command.option("--device <name>", "wasm, reference or webgpu", "wasm");
const withBase = (command: Command) => withDevice(command).option("--model <dir>", "model folder: config.json, model.safetensors, tokenizer.json, tokenizer_config.json", "models/tadpole");
const withModel = (command: Command) => withBase(command).option("--adapter <dir>", "PEFT LoRA adapter folder");

onRun(
  withDevice(leaf(program, "golden", "compute logits, gradients and one optimizer step of a golden fixture"))
    .argument("<dir>", "fixture: config.json, model.safetensors, adapter, expected.json (only its inputs are read)")
    .requiredOption("--out <dir>", "where the results go"),
  async (context, dir: string, options: { device: string; out: string }) => (await import("./golden.ts")).golden(context, dir, options),
);

const env = program.command("env").description("environments");
onRun(leaf(env, "check", "run a folder's tests in the embedded sandbox and in Node, and compare them test by test").argument("<dir>", "folder with package.json and node tests"), async (context, dir: string) =>
  (await import("./env-check.ts")).envCheck(context, dir),
);

const tasks = program.command("tasks").description("tasks made from an environment");
onRun(
  leaf(tasks, "make", "make validated tasks and write them as JSONL")
    .requiredOption("--env <name|dir>", "built-in environment or a folder")
    .requiredOption("--count <n>", "tasks wanted", integer(1))
    .option("--seed <s>", "seed", integer(0), 1)
    .requiredOption("--out <file>", "JSONL file"),
  async (context, options: { env: string; count: number; seed: number; out: string }) => (await import("./tasks.ts")).tasksMake(context, options),
);
onRun(leaf(tasks, "check", "validate a task file again from nothing").argument("<file>", "JSONL file of tasks"), async (context, file: string) => (await import("./tasks.ts")).tasksCheck(context, file));

onRun(
  withModel(leaf(program, "solve", "let the model solve one task, step by step"))
    .option("--task <file#id>", "a task of a JSONL file; the id may be shortened")
    .option("--env <dir>", "a folder to work on instead")
    .option("--statement <text>", "what to do there")
    .option("--seed <s>", "seed", integer(0), 1)
    .option("--temperature <t>", "0 is greedy", temperature, 0),
  async (context, options: SolveOptions) => (await import("./solve.ts")).solve(context, options),
);

onRun(
  withModel(leaf(program, "eval", "measure pass@1 at temperature 1 on fresh tasks of a split"))
    .requiredOption("--split <name>", "train, adapt or heldout")
    .option("--tasks <n>", "number of tasks", integer(1), 50)
    .option("--k <k>", "attempts per task", integer(1), 4)
    .option("--seed <s>", "seed of tasks and sampling", integer(0), 1),
  async (context, options: EvalOptions) => (await import("./eval.ts")).evalCommand(context, options),
);

onRun(
  withBase(leaf(program, "train", "run RL updates by a preset, without the measurements of demo and study"))
    .requiredOption("--preset <name>", "demo, quick or study")
    .option("--seed <s>", "seed (default: 1)", integer(0))
    .requiredOption("--out <dir>", "run folder")
    .option("--updates <n>", "number of RL updates", integer(1))
    .option("--resume", "continue the run in --out")
    .option("--force", "replace a finished run in --out"),
  async (context, options: ExperimentOptions & { preset: string }) => (await import("./train.ts")).train(context, options),
);

const experiment = (name: string, description: string, out: string) =>
  withBase(leaf(program, name, description))
    .option("--seed <s>", "seed (default: 1)", integer(0))
    .option("--out <dir>", "run folder", out)
    .option("--updates <n>", "number of RL updates", integer(1))
    .option("--resume", "continue the run in --out")
    .option("--force", "replace a finished run in --out");
onRun(experiment("demo", "solve a task, adapt the model to a repository it has never seen, measure before and after", "runs/demo").option("--quick", "two updates and few tasks, to see that everything works"), async (context, options: ExperimentOptions & { quick?: boolean }) =>
  (await import("./demo.ts")).demo(context, options),
);
onRun(experiment("study", "the long measurement: RL over diverse tasks of the training environments", "runs/study"), async (context, options: ExperimentOptions) => (await import("./study.ts")).study(context, options));

const bench = program.command("bench").description("benchmarks: medians with spread");
for (const [name, description, withOptions] of [
  ["compute", "GFLOP/s of each kernel and its share of the device's peak", withDevice],
  ["decode", "tokens/s at batch 1, 8 and 64", withModel],
  ["train", "trained tokens/s and seconds per update of 32 rollouts", withBase],
  ["sandbox", "milliseconds per fresh episode, episodes/s (uses no device)", withDevice],
] as const) {
  onRun(withOptions(leaf(bench, name, description)), async (context, options) => (await import(`../../bench/${name}.ts`)).bench(context, options));
}

async function execute(options: CommonOptions, action: (context: CommandContext) => Promise<Outcome>): Promise<void> {
  const abort = new AbortController();
  process.on("SIGINT", () => {
    if (abort.signal.aborted) process.exit(130);
    process.stderr.write("\nstopping; Ctrl-C again to stop at once\n");
    abort.abort(new DOMException("interrupted", "AbortError"));
  });
  // A reader that is gone ("| head") ends the run as Ctrl-C does, so that it can be resumed.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", (error) => abort.signal.aborted || abort.abort(error));
  const context: CommandContext = {
    signal: abort.signal,
    print: (line) => {
      clearProgress();
      (options.json ? process.stderr : process.stdout).write(line + "\n");
    },
    progress: (label, total, restored) => startProgress(label, total, { restored }),
  };
  try {
    const { ok, result } = await action(context);
    if (options.json) process.stdout.write(JSON.stringify(result) + "\n");
    process.exitCode = ok ? 0 : 1;
  } catch (error) {
    process.exitCode = abort.signal.aborted ? 130 : 1;
    report(error, options);
  }
}

const BUILT_IN: readonly unknown[] = [Error, TypeError, RangeError, SyntaxError, ReferenceError];

function report(error: unknown, { json, debug }: CommonOptions): void {
  const message = error instanceof Error ? error.message : String(error);
  // Our own error classes explain themselves; anything else is a fault of the program and worth a stack.
  const unexpected = error instanceof Error && BUILT_IN.includes(error.constructor) && !("code" in error);
  process.stderr.write(`error: ${message}${unexpected && !debug ? " (unexpected: --debug shows where)" : ""}\n`);
  if (debug && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  if (json) process.stdout.write(JSON.stringify({ error: message }) + "\n");
}

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode;
  if (error.exitCode !== 0 && process.argv.includes("--json")) process.stdout.write(JSON.stringify({ error: error.message }) + "\n");
}
// Threads of a device that was not destroyed (after an error) must not keep the process alive.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((flushed) => stream.write("", flushed))));
process.exit();
