/** One shell command over an episode's files: just-bash with `node` and `npm` commands that run in the VM. */
import { Bash, defineCommand } from "just-bash/browser";
import { ROOT } from "../../names.ts";
import type { SandboxLimits } from "../../sandbox.ts";
import type { ExecOutcome, FileTree } from "../protocol.ts";
import type { EpisodeFiles } from "./files.ts";
import { Modules, normalize } from "./modules.ts";
import { Report } from "./report.ts";
import { findTestFiles, runTests } from "./run-tests.ts";
import { ShellFs } from "./shell-fs.ts";
import type { Engine } from "./vm.ts";

interface CommandResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}
const result = (stdout: string, stderr = "", exitCode = 0): CommandResult => ({ stdout, stderr, exitCode });

export async function execShell(
  engine: Engine,
  files: EpisodeFiles,
  job: { command: string; cwd: string; limits: SandboxLimits } & FileTree,
): Promise<ExecOutcome> {
  const { limits } = job;
  const node = new NodeCommand(engine, files, limits);
  const bash = new Bash({
    fs: new ShellFs(files),
    cwd: job.cwd,
    env: { HOME: "/root", PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8", CI: "1" },
    customCommands: [
      defineCommand("node", (args, ctx) => node.run(args, ctx.cwd, exported(ctx), textOf(ctx.stdin))),
      defineCommand("npm", (args, ctx) => npm(args, files, (command) => ctx.exec!(command, { cwd: ROOT }))),
    ],
    sleep: async () => {},
  });
  const { stdout, stderr, exitCode, env } = await bash.exec(job.command, { cwd: job.cwd, rawScript: true });
  return {
    stdout: clip(stdout, limits.outputChars),
    stderr: clip(stderr, limits.outputChars),
    exitCode,
    timedOut: node.timedOut,
    cwd: files.directories.has(env.PWD) ? env.PWD : job.cwd,
    changes: files.changes(),
  };
}

/** A command's standard input comes as a string of bytes. */
const textOf = (stdin: unknown): string => new TextDecoder().decode(Uint8Array.from(String(stdin ?? ""), (c) => c.charCodeAt(0)));
const clip = (text: string, max: number): string => (text.length > max ? text.slice(0, max) : text);
const exported = (ctx: { exportedEnv?: Record<string, string>; env: Map<string, string> }): Record<string, string> =>
  ctx.exportedEnv ?? Object.fromEntries(ctx.env);

/** `node FILE`, `node -e CODE`, `node -p CODE`, `node --test [PATHS]`. */
class NodeCommand {
  timedOut = false;
  readonly #engine: Engine;
  readonly #files: EpisodeFiles;
  readonly #limits: SandboxLimits;
  readonly #begin = performance.now();

  constructor(engine: Engine, files: EpisodeFiles, limits: SandboxLimits) {
    this.#engine = engine;
    this.#files = files;
    this.#limits = limits;
  }

  async run(args: string[], cwd: string, env: Record<string, string>, stdin: string): Promise<CommandResult> {
    const flags: string[] = [];
    let i = 0;
    for (; i < args.length && args[i].startsWith("-") && args[i] !== "-"; i++) {
      const arg = args[i];
      if (arg === "-v" || arg === "--version") return result("v20.20.2\n");
      if (/^(-e|--eval|-p|--print|-pe)$/.test(arg)) {
        const code = args[i + 1];
        if (code === undefined) return result("", `node: ${arg} requires an argument\n`, 9);
        return this.#script(code, /p/.test(arg), args.slice(i + 2), cwd, env);
      }
      flags.push(arg);
      if (arg === "--test-reporter" && args[i + 1] !== undefined) flags[flags.length - 1] += "=" + args[++i];
    }
    const rest = args.slice(i);
    if (flags.includes("--test")) {
      const reporter = [...flags, ...rest].find((a) => a.startsWith("--test-reporter="))?.slice("--test-reporter=".length) ?? "tap";
      return this.#test(rest.filter((a) => !a.startsWith("-")), reporter, cwd, env);
    }
    if (rest.length === 0 || rest[0] === "-") {
      if (stdin.trim() !== "") return this.#script(stdin, false, rest.slice(1), cwd, env);
      return result("", "node: there is no terminal here; use node FILE or node -e CODE\n", 1);
    }
    const given = normalize(rest[0].startsWith("/") ? rest[0] : `${cwd}/${rest[0]}`);
    const file = [given, given + ".js", given + "/index.js"].find((p) => this.#files.files.has(p));
    if (file === undefined) {
      return result("", `node:internal/modules/cjs/loader\n  throw err;\n\nError: Cannot find module '${given}'\n`, 1);
    }
    return this.#program(file, [file, ...rest.slice(1)], cwd, env);
  }

  async #script(code: string, print: boolean, argv: string[], cwd: string, env: Record<string, string>): Promise<CommandResult> {
    const isModule = /^\s*(import\s*[\w{*'"]|export\s)|\bawait\b/m.test(code) && !/\brequire\s*\(/.test(code);
    const path = normalize(`${cwd}/[eval].${isModule ? "mjs" : "cjs"}`);
    const text = print ? `console.log(${isModule ? `await (${code})` : `eval(${JSON.stringify(code)})`})` : code;
    this.#files.files.set(path, text);
    try {
      return await this.#program(path, argv, cwd, env);
    } finally {
      this.#files.files.delete(path);
    }
  }

  async #program(file: string, argv: string[], cwd: string, env: Record<string, string>): Promise<CommandResult> {
    let stdout = "";
    let stderr = "";
    const max = this.#limits.outputChars;
    const kind = new Modules(this.#files, this.#engine.builtins).kindOf(file) === "esm" ? "esm" : "cjs";
    const { exitCode, failure } = await this.#engine.run(
      { job: { mode: "script", file, kind, argv, env, cwd }, files: this.#files, limits: this.#limits, leftMs: this.#left() },
      {
        out: (fd, text) => {
          if (fd === 1 && stdout.length < max) stdout += text;
          if (fd === 2 && stderr.length < max) stderr += text;
        },
        event: () => {},
      },
    );
    if (failure?.kind === "timeout") this.timedOut = true;
    return result(stdout, failure ? `${stderr}node: ${failure.message}\n` : stderr, exitCode);
  }

  async #test(patterns: string[], reporter: string, cwd: string, env: Record<string, string>): Promise<CommandResult> {
    const paths = new Set<string>();
    for (const pattern of patterns) {
      const path = normalize(pattern.startsWith("/") ? pattern : `${cwd}/${pattern}`);
      if (this.#files.files.has(path)) paths.add(path);
      else for (const p of findTestFiles(this.#files, path)) paths.add(p);
    }
    if (patterns.length === 0) for (const p of findTestFiles(this.#files, cwd)) paths.add(p);
    if (paths.size === 0 && patterns.length > 0) return result("", `Could not find '${patterns.join(", ")}'\n`, 1);
    const report = new Report();
    const run = await runTests(this.#engine, this.#files, [...paths].toSorted(), this.#limits, this.#left(), cwd, env, (event) => report.add(event));
    if (run.failure?.kind === "timeout") this.timedOut ||= !run.cases.some((c) => c.error?.startsWith("Promise resolution is still pending"));
    return result(report.text(reporter, run.output), "", report.failed ? 1 : 0);
  }

  #left(): number {
    return Math.max(1, this.#limits.timeMs - (performance.now() - this.#begin));
  }
}

async function npm(args: string[], files: EpisodeFiles, exec: (command: string) => Promise<CommandResult>): Promise<CommandResult> {
  const rest = args.includes("--") ? args.slice(args.indexOf("--") + 1) : [];
  const [first, ...others] = args.slice(0, args.length - rest.length).filter((a) => !/^(-s|--silent|--)$/.test(a));
  const script = first === "test" || first === "t" || first === "tst" ? "test" : first === "run" || first === "run-script" ? others[0] : undefined;
  if (script === undefined) return result("", `npm: only "npm test" and "npm run SCRIPT" work here; there is no network\n`, 1);
  const text = files.files.get(`${ROOT}/package.json`);
  if (text === undefined) return result("", "npm error enoent Could not read package.json\n", 254);
  let json: { name?: string; version?: string; scripts?: Record<string, string> };
  try {
    json = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    return result("", `npm error code EJSONPARSE\nnpm error package.json: ${(error as Error).message}\n`, 1);
  }
  const known = json.scripts?.[script];
  if (known === undefined) return result("", `npm error Missing script: "${script}"\n`, 1);
  const command = [known, ...rest.map((a) => `'${a.replaceAll("'", "'\\''")}'`)].join(" ");
  const silent = args.includes("-s") || args.includes("--silent");
  const ran = await exec(command);
  const head = silent ? "" : `\n> ${json.name ?? "repo"}@${json.version ?? "1.0.0"} ${script}\n> ${command}\n\n`;
  return { ...ran, stdout: head + ran.stdout };
}

