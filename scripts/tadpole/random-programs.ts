/**
 * Random small JavaScript modules of varied structure, for pretraining. Statements follow idioms of ordinary code
 * (guards, accumulators, scans, builders), but names, constants, order and nesting are random, so that a model must
 * read and copy rather than recall. Everything terminates and is pure: a function can be executed for its outputs.
 */
import type { Random } from "../../src/compute/index.ts";
import { renderIdiom } from "./idioms.ts";
import { Names } from "./words.ts";

export type ValueType = "number" | "string" | "boolean" | "numbers" | "strings" | "records" | "record" | "grid";

export interface RandomFunction {
  name: string;
  params: { name: string; type: ValueType; fields?: string[] }[];
  result: ValueType;
}

export interface RandomModule {
  file: string;
  source: string;
  /** Either the parameters of a function, or expressions that use a method, with <type> for an argument. */
  functions: { name: string; params?: RandomFunction["params"]; calls?: string[] }[];
}

interface Variable {
  name: string;
  type: ValueType;
  fields?: string[];
  constant?: boolean;
}

class Writer {
  readonly scope: Variable[] = [];
  readonly lines: string[] = [];
  indent = 1;
  constructor(readonly random: Random, readonly names: Names, readonly fields: string[]) {}

  emit(text: string): void {
    this.lines.push("  ".repeat(this.indent) + text);
  }
  chance(p: number): boolean {
    return this.random.uniform() < p;
  }
  of(type: ValueType): Variable[] {
    return this.scope.filter((v) => v.type === type);
  }
  has(type: ValueType): boolean {
    return this.scope.some((v) => v.type === type);
  }
  /** A variable of the type, later ones preferred: fresh values should be used. */
  some(type: ValueType): Variable {
    const all = this.of(type);
    return this.chance(0.5) ? all[all.length - 1] : this.random.pick(all);
  }
  declare(name: string, type: ValueType, fields?: string[]): Variable {
    const variable = { name, type, fields };
    this.scope.push(variable);
    return variable;
  }
  block(head: string, body: () => void): void {
    const depth = this.scope.length;
    this.emit(head + " {");
    this.indent++;
    body();
    this.indent--;
    this.emit("}");
    this.scope.length = depth;
  }

  // ---- expressions. Operators have habits, as in real code: what breaks them stands out.
  relation(): string {
    const x = this.random.uniform();
    return x < 0.38 ? "<" : x < 0.76 ? ">" : x < 0.88 ? "===" : x < 0.94 ? ">=" : x < 0.98 ? "<=" : "!==";
  }
  constant(): string {
    return String(this.random.pick([0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 10, 12, 24, 30, 60, 100]));
  }
  atom(): string {
    const r = this.random.uniform();
    if (r < 0.68 && this.has("number")) return this.some("number").name;
    if (r < 0.76 && this.has("numbers")) return this.some("numbers").name + ".length";
    if (r < 0.8 && this.has("string")) return this.some("string").name + ".length";
    if (r < 0.84 && this.has("strings")) return this.some("strings").name + ".length";
    if (r < 0.92 && this.has("record")) return this.fieldOf(this.some("record"));
    if (r < 0.94 && this.has("grid")) return `${this.some("grid").name}${this.chance(0.5) ? "[0]" : ""}.length`;
    if (r < 0.96 && this.has("numbers")) return `${this.some("numbers").name}[${this.chance(0.6) ? "0" : `${this.some("numbers").name}.length - 1`}]`;
    return this.constant();
  }
  fieldOf(record: Variable): string {
    return `${record.name}.${this.random.pick(record.fields!)}`;
  }
  /** Not a bare number: something that depends on the inputs. */
  named(): string {
    for (let i = 0; i < 8; i++) {
      const a = this.atom();
      if (!/^\d/.test(a)) return a;
    }
    return this.has("number") ? this.some("number").name : this.constant();
  }
  /** `left op right` with two different sides. */
  pair(op: string, left = this.named()): string {
    let right = this.atom();
    for (let i = 0; i < 4 && right === left; i++) right = this.atom();
    return `${left} ${op} ${right === left ? "2" : right}`;
  }
  number(): string {
    const r = this.random;
    switch (r.int(0, 11)) {
      case 0: case 1: return this.named();
      case 2: case 3: case 4: return this.pair("+");
      case 5: return this.pair("-");
      case 6: return this.pair("*");
      case 7: return `${this.named()} % ${r.int(2, 12)}`;
      case 8: return `Math.floor(${this.named()} / ${r.pick([2, 3, 4, 5, 7, 10, 12, 60, 100])})`;
      case 9: return `Math.${r.pick(["min", "max"])}(${this.pair(",").replace(" ,", ",")})`;
      case 10: return `(${this.pair(r.pick(["+", "+", "+", "-"]))}) * ${this.atom()}`;
      default: return `${this.named()} * ${r.int(2, 100)} + ${this.atom()}`;
    }
  }
  comparison(): string {
    const r = this.random;
    const x = r.uniform();
    if (x < 0.16) return `${this.named()} % ${r.int(2, 7)} ${this.chance(0.88) ? "===" : "!=="} 0`;
    if (x < 0.27 && this.has("string") && this.chance(0.3)) return `${this.some("string").name}.${this.random.pick(["startsWith", "endsWith", "includes"])}(${this.text()})`;
    if (x < 0.27 && this.has("string") && this.chance(0.3)) return `${this.some("string").name}${this.random.pick(["[0]", ".trim()", `[${this.atom()}]`])} ${this.chance(0.8) ? "===" : "!=="} ${this.text()}`;
    if (x < 0.29 && this.has("numbers") && this.chance(0.3)) return `${this.chance(0.3) ? "!" : ""}${this.some("numbers").name}.includes(${this.atom()})`;
    if (x < 0.24 && this.has("string")) return `${this.some("string").name} ${r.pick(["===", "!=="])} ${this.text()}`;
    if (x < 0.3 && this.has("boolean")) return (this.chance(0.5) ? "!" : "") + this.some("boolean").name;
    return this.pair(this.relation());
  }
  condition(): string {
    return this.chance(0.72) ? this.comparison() : `${this.comparison()} ${this.chance(0.8) ? "&&" : "||"} ${this.comparison()}`;
  }
  text(): string {
    return this.random.pick(["''", "' '", "','", "'-'", "', '", "':'", "'0'", "'.'", "'a'", "'x'", "'#'", "'/'", "'yes'", "'no'", "'none'", "'ok'", `'${this.names.field()}'`]);
  }
  string(): string {
    const r = this.random;
    if (!this.has("string")) return this.chance(0.5) ? `String(${this.named()})` : "`${" + this.named() + "}" + r.pick(["%", " items", "px", "x", "!", " left"]) + "`";
    const s = this.some("string").name;
    switch (r.int(0, 11)) {
      case 7: return `${this.text()} + ${s} + ${this.text()}`;
      case 8: return `${s} + ${r.pick(["': '", "' '", "'-'", "'/'", "' of '"])} + ${this.named()}`;
      case 9: return `${r.pick(["'.'", "'*'", "' '", "'-'", s])}.repeat(${this.count()}) + ${r.pick([s, this.text()])}`;
      case 10: return `${s}.slice(${r.pick([`0, ${this.atom()}`, "1", "0, -1", this.atom()])})${this.chance(0.3) ? " + " + this.text() : ""}`;
      case 11: return this.has("strings") ? `${this.some("strings").name}.join(${this.text()})` : `${s}.split(${this.text()}).join(${this.text()})`;
      case 0: return s;
      case 1: return `${s} + ${this.text()}`;
      case 2: return `${s}.slice(${r.int(0, 2)}, ${this.atom()})`;
      case 3: return "`${" + s + "}" + r.pick([":", "-", "=", " ", "/"]) + "${" + this.named() + "}`";
      case 4: return `${s}.${r.pick(["toUpperCase", "toLowerCase", "trim"])}()`;
      case 5: return `${s}.padStart(${r.int(2, 9)}, ${this.text()})`;
      default: return `${this.text()} + ${s}`;
    }
  }

  /** A small number that may be used as a length. */
  count(): string {
    return this.chance(0.5) ? `Math.max(0, ${this.named()})` : String(this.random.int(1, 4));
  }

  // ---- statements
  ladder(result: () => string): void {
    const subject = this.has("string") && this.chance(0.6) ? this.some("string").name : this.named();
    const test = this.has("string") && subject === this.of("string").at(-1)?.name;
    for (let i = this.random.int(2, 3); i > 0; i--) this.emit(`if (${subject} ${test ? "===" : this.random.pick(["===", "<", "<"])} ${test ? this.text() : this.constant()}) return ${result()};`);
  }
  scan(): void {
    const position = this.names.variable();
    const r = this.random;
    const source = this.has("string") && this.chance(0.6) ? this.some("string") : this.list();
    if (source === null || source.type === "records") return this.whileLoop();
    this.emit(`let ${position} = ${r.pick(["0", "0", "0", "1"])};`);
    const element = `${source.name}[${position}]`;
    const test = source.type === "numbers" ? this.pair(r.pick(["<", "<", ">", "!=="]), element) : `${element} ${r.pick(["===", "!=="])} ${this.text()}`;
    this.block(`while (${position} < ${source.name}.length && ${test})`, () => this.emit(this.chance(0.5) ? `${position} += 1;` : `${position}++;`));
    this.declare(position, "number");
  }
  nested(grid: Variable): void {
    const total = this.names.variable();
    this.emit(`let ${total} = 0;`);
    if (this.chance(0.5)) {
      const row = this.names.variable(), cell = this.names.variable();
      this.block(`for (const ${row} of ${grid.name})`, () =>
        this.block(`for (const ${cell} of ${row})`, () => this.emit(`${this.chance(0.5) ? `if (${this.elementTest({ name: cell, type: "number" })}) ` : ""}${total} += ${this.random.pick(["1", cell, cell])};`)));
    } else {
      const y = this.names.short(), x = this.names.short();
      this.block(`for (let ${y} = 0; ${y} < ${grid.name}.length; ${y}++)`, () =>
        this.block(`for (let ${x} = ${this.random.pick(["0", "0", `${y} + 1`])}; ${x} < ${grid.name}[${y}].length; ${x}++)`, () =>
          this.emit(`${this.chance(0.5) ? `if (${this.random.pick([`${x} === ${y}`, `${grid.name}[${y}][${x}] > ${this.atom()}`, `(${x} + ${y}) % 2 === 0`])}) ` : ""}${total} += ${this.random.pick(["1", `${grid.name}[${y}][${x}]`, `${x} * ${y}`])};`)));
    }
    this.declare(total, "number");
  }
  unpack(record: Variable): void {
    const field = this.random.pick(record.fields!);
    const name = this.names.variable();
    this.emit(`const ${name} = ${record.name}.${field}${this.chance(0.5) ? ` ${this.random.pick(["+", "-", "*"])} ${this.chance(0.5) ? this.fieldOf(record) : this.atom()}` : ""};`);
    this.declare(name, "number");
  }
  join(): void {
    const name = this.names.variable();
    const value = this.string();
    this.emit(`const ${name} = ${value};`);
    this.declare(name, "string");
  }
  guard(result: () => string): void {
    if (this.chance(0.75)) this.emit(`if (${this.condition()}) return ${result()};`);
    else this.block(`if (${this.condition()})`, () => this.emit(`return ${result()};`));
  }
  raise(): void {
    const bad = this.chance(0.75) ? `${this.named()} < ${this.random.pick(["0", "1"])}` : `${this.named()} > ${this.constant()}`;
    this.emit(`if (${bad}) throw new ${this.random.pick(["RangeError", "Error", "TypeError"])}('${this.random.pick(["bad", "invalid", "unknown", "negative", "no such"])} ${this.names.field()}${this.chance(0.3) ? ": ' + " + this.named() : "'"});`);
  }
  local(): void {
    const value = this.number();
    const name = this.names.variable();
    this.emit(`const ${name} = ${value};`);
    this.declare(name, "number");
  }
  flag(): void {
    const value = this.condition();
    const name = this.names.variable();
    this.emit(`const ${name} = ${value};`);
    this.declare(name, "boolean");
  }
  choice(): void {
    const value = `${this.condition()} ? ${this.number()} : ${this.number()}`;
    const name = this.names.variable();
    this.emit(`const ${name} = ${value};`);
    this.declare(name, "number");
  }
  adjust(): void {
    const value = this.atom();
    const name = this.names.variable();
    this.emit(`let ${name} = ${value};`);
    const v = this.declare(name, "number");
    for (let i = this.random.int(1, 2); i > 0; i--) {
      const change = `${v.name} ${this.random.pick(["+=", "+=", "+=", "+=", "-=", "*="])} ${this.atom()};`;
      if (this.chance(0.6)) this.emit(`if (${this.condition()}) ${change}`);
      else {
        this.block(`if (${this.condition()})`, () => this.emit(change));
        if (this.chance(0.4)) {
          this.lines[this.lines.length - 1] = this.lines[this.lines.length - 1].replace("}", "} else {");
          this.indent++;
          this.emit(`${v.name} = ${this.number()};`);
          this.indent--;
          this.emit("}");
        }
      }
    }
  }
  /** A number drawn from one element of a list: the element itself, a field of a record, the length of a word. */
  element(item: Variable): string {
    if (item.type === "records") {
      const f = this.random.pick(item.fields!);
      return this.chance(0.4) && item.fields!.length > 1 ? `${item.name}.${item.fields![0]} * ${item.name}.${item.fields![1]}` : `${item.name}.${f}`;
    }
    if (item.type === "string") return `${item.name}.length`;
    return item.name;
  }
  elementTest(item: Variable): string {
    if (item.type === "string" && this.chance(0.5)) return `${item.name} ${this.chance(0.8) ? "===" : "!=="} ${this.text()}`;
    return this.pair(this.relation(), this.element(item));
  }
  /** Opens a loop over a list in one of the usual forms; `body` gets the current element (and the index where there is one). */
  loop(list: Variable, body: (item: Variable, index: string | null) => void): void {
    const itemType: ValueType = list.type === "numbers" ? "number" : list.type === "strings" ? "string" : "records";
    const start = this.chance(0.96) ? "0" : "1";
    if (this.chance(0.45)) {
      const index = this.names.short();
      this.block(`for (let ${index} = ${start}; ${index} < ${list.name}.length; ${index}++)`, () => {
        if (this.chance(0.5)) {
          const name = this.names.variable();
          this.emit(`const ${name} = ${list.name}[${index}];`);
          body({ name, type: itemType, fields: list.fields }, index);
        } else body({ name: `${list.name}[${index}]`, type: itemType, fields: list.fields }, index);
      });
    } else {
      const name = this.names.variable();
      this.block(`for (const ${name} of ${list.name})`, () => body({ name, type: itemType, fields: list.fields }, null));
    }
  }
  list(): Variable | null {
    const lists = this.scope.filter((v) => v.type === "numbers" || v.type === "strings" || v.type === "records");
    return lists.length ? this.random.pick(lists) : null;
  }
  accumulate(list: Variable): void {
    const name = this.names.variable();
    const kind = this.random.int(0, 5);
    const searching = kind === 4 && this.chance(0.5);
    if (kind === 3) {
      // best so far
      this.emit(`let ${name} = 0;`);
      this.loop(list, (item) => this.emit(`if (${this.element(item)} ${this.chance(0.85) ? ">" : "<"} ${name}) ${name} = ${this.element(item)};`));
      this.declare(name, "number");
      return;
    }
    if (searching) {
      this.emit(`let ${name} = -1;`);
      const index = this.names.short();
      this.block(`for (let ${index} = 0; ${index} < ${list.name}.length; ${index}++)`, () => {
        const item: Variable = { name: `${list.name}[${index}]`, type: list.type === "numbers" ? "number" : list.type === "strings" ? "string" : "records", fields: list.fields };
        this.emit(`if (${this.elementTest(item)}) ${name} = ${index};`);
      });
      this.declare(name, "number");
      return;
    }
    this.emit(`let ${name} = ${kind === 1 ? "1" : "0"};`);
    this.loop(list, (item, index) => {
      if (this.chance(0.2)) this.emit(`if (${this.elementTest(item)}) ${this.random.pick(["continue", "continue", "break"])};`);
      const amount = kind === 0 ? "1" : this.element(item) + (this.chance(0.2) ? ` ${this.random.pick(["*", "+", "-"])} ${index ?? this.atom()}` : "");
      const change = `${name} ${kind === 1 ? "*=" : this.chance(0.94) ? "+=" : "-="} ${amount};`;
      if (kind === 0 || this.chance(0.35)) this.emit(`if (${this.elementTest(item)}) ${change}`);
      else this.emit(change);
    });
    this.declare(name, "number");
  }
  collect(list: Variable): void {
    const name = this.names.plural();
    this.emit(`const ${name} = [];`);
    const textual = list.type === "strings" && this.chance(0.6);
    this.loop(list, (item, index) => {
      const value = textual ? item.name : this.element(item) + (this.chance(0.5) ? ` ${this.random.pick(["+", "+", "*", "*", "-"])} ${index ?? this.atom()}` : "");
      if (this.chance(0.55)) this.emit(`if (${this.elementTest(item)}) ${name}.push(${value});`);
      else this.emit(`${name}.push(${value});`);
    });
    this.declare(name, textual ? "strings" : "numbers");
  }
  series(): void {
    const name = this.names.plural();
    const index = this.names.short();
    const from = this.random.pick(["0", "1", this.named()]);
    const to = this.named();
    this.emit(`const ${name} = [];`);
    this.block(`for (let ${index} = ${from}; ${index} ${this.chance(0.85) ? "<" : "<="} ${to}; ${index}${this.chance(0.75) ? "++" : ` += ${this.random.int(2, 3)}`})`, () => {
      const value = this.random.pick([index, `${index} * ${this.atom()}`, `${index} + ${this.atom()}`, `${index} - 1`, `${index} % ${this.random.int(2, 5)}`]);
      this.emit((this.chance(0.25) ? `if (${index} % ${this.random.int(2, 4)} === 0) ` : "") + `${name}.push(${value});`);
    });
    this.declare(name, "numbers");
  }
  whileLoop(): void {
    const rest = this.names.variable();
    const count = this.names.variable();
    this.emit(`let ${rest} = ${this.named()};`);
    this.emit(`let ${count} = ${this.random.pick(["0", "0", "1"])};`);
    const step = this.random.int(1, 4);
    this.block(`while (${rest} ${this.chance(0.85) ? ">" : ">="} ${this.random.pick([0, 0, 1, 2, step])})`, () => {
      const shrink = this.chance(0.5) ? `${rest} -= ${step};` : `${rest} = Math.floor(${rest} / ${this.random.pick([2, 3, 10])});`;
      const grow = `${count} += ${this.random.pick(["1", `${rest} % 10`, rest, String(step)])};`;
      for (const line of this.chance(0.5) ? [shrink, grow] : [grow, shrink]) this.emit(line);
    });
    this.declare(rest, "number");
    this.declare(count, "number");
  }
  build(): void {
    const name = this.names.variable();
    const r = this.random;
    if (this.has("string") && this.chance(0.5)) {
      const s = this.some("string").name;
      const ch = this.names.variable();
      this.emit(`let ${name} = '';`);
      this.block(`for (const ${ch} of ${s})`, () => {
        this.emit(`if (${ch} ${r.pick(["===", "!=="])} ${r.pick(["' '", "','", "'-'", "'a'", "'0'", "'.'"])}) ${name} += ${this.chance(0.7) ? ch : this.text()};`);
      });
    } else if (this.has("string")) {
      const s = this.some("string").name;
      this.emit(`let ${name} = ${s};`);
      this.block(`while (${name}.length < ${r.pick([this.constant(), this.named()])})`, () => this.emit(`${name} ${this.chance(0.5) ? "+= " + r.pick(["' '", "'.'", "'0'", "'-'"]) : `= ${r.pick(["' '", "'0'", "'*'"])} + ${name}`};`));
    } else {
      this.emit(`let ${name} = '';`);
      const index = this.names.short();
      this.block(`for (let ${index} = 0; ${index} < ${this.named()}; ${index}++)`, () => {
        if (this.chance(0.5)) this.emit(`if (${index} > 0) ${name} += ${this.text()};`);
        this.emit(`${name} += ${r.pick([index, "'*'", `String(${index})`, "'-'"])};`);
      });
    }
    this.declare(name, "string");
  }
  statement(result: () => string): void {
    const list = this.list();
    const r = this.random.uniform();
    if (this.has("grid") && this.chance(0.4)) return this.nested(this.some("grid"));
    if (this.has("record") && this.chance(0.3)) return this.unpack(this.some("record"));
    if (this.chance(0.08)) return this.scan();
    if (this.chance(0.06)) return this.ladder(result);
    if (this.has("string") && this.chance(0.12)) return this.join();
    if (list && r < 0.22) this.accumulate(list);
    else if (list && r < 0.36) this.collect(list);
    else if (r < 0.5) this.local();
    else if (r < 0.66) this.guard(result);
    else if (r < 0.73) this.adjust();
    else if (r < 0.79) this.choice();
    else if (r < 0.84) this.whileLoop();
    else if (r < 0.89) this.build();
    else if (r < 0.93) this.series();
    else if (r < 0.96) this.raise();
    else this.flag();
  }
}

const DOCUMENTED = 0.8;

function documentation(random: Random, names: Names): string {
  return `/** ${random.pick(["The", "Returns the", "Computes the", "Finds the", "Gives the"])} ${names.phrase()} of ${random.pick(["a", "the", "each", "one"])} ${names.phrase()}. */`;
}

function randomFunction(random: Random, names: Names, fields: string[], callable: RandomFunction[]): { lines: string[]; fn: RandomFunction } {
  const resultType = random.pick(["number", "number", "number", "number", "string", "boolean", "numbers"] as const);
  const name = names.functionName(resultType === "boolean");
  return names.scope(() => {
    const w = new Writer(random, names, fields);
    const params: RandomFunction["params"] = [];
    const add = (type: ValueType) => {
      const p = { name: type === "number" || type === "string" || type === "record" || type === "grid" ? (w.chance(0.15) ? names.short() : names.variable()) : names.plural(), type, fields: type === "records" || type === "record" ? fields : undefined };
      params.push(p);
      w.declare(p.name, p.type, p.fields);
    };
    const shape = random.uniform();
    if (shape < 0.45) add(random.pick(["numbers", "numbers", "strings", "records"] as const));
    if (shape > 0.38 && shape < 0.6) add("string");
    if (shape > 0.75) add(random.pick(["record", "record", "grid", "string"] as const));
    for (let i = random.int(shape < 0.5 ? 0 : 1, shape < 0.5 ? 1 : 3); i > 0; i--) add("number");
    if (!w.has("number") && !w.list()) add("number");
    const result = () => {
      switch (resultType) {
        case "number": return w.chance(0.75) ? w.number() : w.constant();
        case "boolean": return random.pick(["true", "false"]);
        case "string": return w.chance(0.6) ? w.string() : w.text();
        default: return w.has("numbers") && w.chance(0.5) ? w.some("numbers").name : "[]";
      }
    };
    for (let i = random.int(0, 3); i > 0 && w.lines.length < 9; i--) w.statement(result);
    const helper = callable.find((f) => f.params.every((p) => p.type === "number" || w.has(p.type)));
    if (helper && w.chance(0.4)) {
      const value = `${helper.name}(${helper.params.map((p) => (p.type === "number" ? w.atom() : w.some(p.type).name)).join(", ")})`;
      const local = names.variable();
      w.emit(`const ${local} = ${value};`);
      w.declare(local, helper.result);
    }
    switch (resultType) {
      case "number": w.emit(`return ${w.chance(0.2) ? `${w.condition()} ? ${w.number()} : ${w.number()}` : w.number()};`); break;
      case "boolean": w.emit(`return ${w.condition()};`); break;
      case "string":
        if (!w.has("string")) w.build();
        w.emit(`return ${w.string()};`);
        break;
      case "numbers":
        if (!w.has("numbers")) w.series();
        w.emit(`return ${w.some("numbers").name}${w.chance(0.15) ? `.slice(${random.pick(["0, ", "1, ", ""])}${w.atom()})` : ""};`);
    }
    const head = `export function ${name}(${params.map((p, i) => p.name + (i > 0 && i === params.length - 1 && random.uniform() < 0.1 ? (p.type === "number" ? ` = ${random.int(0, 2)}` : p.type === "string" ? " = ' '" : "") : "")).join(", ")}) {`;
    const lines = [...(random.uniform() < DOCUMENTED ? [documentation(random, names)] : []), head, ...w.lines, "}"];
    return { lines, fn: { name, params, result: resultType } };
  });
}

/** Share of the functions that make sense; the others are random statements. */
const IDIOM_SHARE = 0.65;

/** A module of one to four functions or small classes; of the given idioms alone where there are some. */
export function randomModule(random: Random, idioms?: readonly string[]): RandomModule {
  const names = new Names(random);
  const fields: string[] = [];
  for (const count = random.int(2, 3); fields.length < count; ) {
    const field = names.field();
    // Taken: a destructured field must not meet a variable of its name.
    if (names.take(field)) fields.push(field);
  }
  const functions: RandomModule["functions"] = [];
  const callable: RandomFunction[] = [];
  const parts: string[] = [];
  if (random.uniform() < 0.2) parts.push(`import { ${names.variable()} } from './${names.file()}.js';`);
  for (let i = random.int(1, 4); i > 0; i--) {
    if (idioms || random.uniform() < IDIOM_SHARE) {
      const idiom = renderIdiom(random, names, fields, idioms);
      for (const fn of idiom.functions) functions.push({ ...fn, params: fn.params?.map((p) => ({ ...p, type: p.type as ValueType, fields })) });
      parts.push(idiom.source.replace(/^(?=export )/gm, () => (random.uniform() < DOCUMENTED ? documentation(random, names) + "\n" : "")));
    } else {
      const { lines, fn } = randomFunction(random, names, fields, callable);
      functions.push(fn);
      callable.push(fn);
      parts.push(lines.join("\n"));
    }
  }
  return { file: `src/${fileName(random, names, functions)}.js`, source: parts.join("\n\n") + "\n", functions };
}

/** Files are often named by a word of what is in them: then a name and a path begin alike. */
function fileName(random: Random, names: Names, functions: RandomModule["functions"]): string {
  if (functions.length === 0 || random.uniform() < 0.6) return names.file();
  const words = random.pick(functions).name.split(/(?=[A-Z])|\./).map((word) => word.toLowerCase());
  return random.pick(words) + (random.uniform() < 0.3 ? "s" : "");
}
