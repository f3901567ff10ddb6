/**
 * Vocabulary for random programs: ordinary words for identifiers, plus made-up words, so that copying a name letter
 * group by letter group pays as much as knowing it.
 */
import { Random } from "../../src/compute/index.ts";

const NOUNS =
  "account amount angle area balance band bar base batch bill bin block board body book border bottle bound box branch bucket budget buffer byte card cart case cell center chain change channel char charge child chunk city class clock code coin column command cost count course cover credit cross cursor curve cycle date day deck degree delay delta depth desk device digit distance dish door draft edge engine entry error event factor fare fee field figure file floor flow fold frame front fuel gap gate goal grade grain grid ground group guest half hand head heap height hour image index item job joint key kind label lap layer leaf ledger left length lesson letter level limit line link list load lock loop lot map margin mark mass match member menu metric minute mode month move name net node note number object offer offset order owner pack page pair panel part pass path peak phase piece pin place plan plate player point pool port position price prize product profile queue quota rack rank rate ratio reach reading record region reserve result ring road room root round route row rule sale sample scale score screen seat section segment series sheet shelf shift side signal size slot span speed square stack stage start state step stock stop store stream street stride sum supply table tag tail target task tax team term text ticket tile time token total track trade train tree trip turn unit user value vector visit volume wage wall watch water wave way week weight width window wing word work yard year zone".split(" ");
const VERBS =
  "add apply build calculate cap check clamp clear close collect combine compare compute convert copy count cut divide draw drop expand extend extract fill filter find fit fix fold format gather get grow hold insert join keep lift limit list locate lower make mark measure merge move normalize pack pad parse pick place print pull push raise read reduce remove render repeat reset resolve reverse rotate round scale scan select shift show shrink skip slice sort split spread step stretch sum swap take tally total trace trim turn update weigh wrap".split(" ");
const ADJECTIVES =
  "active adjacent balanced big blank bounded busy cheap clear closed cold complete deep dense empty equal even exact fair final first flat free full heavy high hot idle inner large last late leap light local long lower main narrow near odd open outer paid past plain positive prime private ready recent rich safe same short simple single small solid sorted stale steep strict strong tall tight total tiny upper valid wide whole".split(" ");
const ONSETS = "b br c ch d dr f fl g gr h j k l m n p pl qu r s sh sl st t tr v w z".split(" ");
const VOWELS = "a e i o u ai ea oo ou".split(" ");
const CODAS = "b ck d g l lt m mp n nd nt p r rk s sk st t x".split(" ");

const capital = (word: string) => word[0].toUpperCase() + word.slice(1);

function madeUp(random: Random): string {
  let word = "";
  for (let i = random.int(1, 2); i >= 0; i--) word += random.pick(ONSETS) + random.pick(VOWELS);
  return word + (random.uniform() < 0.6 ? random.pick(CODAS) : "");
}

const RESERVED = new Set(
  "break case catch class const continue default delete do else enum export extends false finally for function if import in instanceof let new null of package private return static super switch this throw true try typeof var void while with yield await char byte".split(" "),
);

/** Hands out names that are not yet taken in one module. */
export class Names {
  private readonly taken = new Set<string>();
  constructor(private readonly random: Random) {}

  private noun(): string {
    return this.random.uniform() < 0.2 ? madeUp(this.random) : this.random.pick(NOUNS);
  }

  private fresh(make: () => string): string {
    for (;;) {
      const name = make();
      if (this.taken.has(name) || RESERVED.has(name)) continue;
      this.taken.add(name);
      return name;
    }
  }

  /** Forgets local names at the end of a function, so that the next one may use them again. */
  scope<T>(body: () => T): T {
    const before = new Set(this.taken);
    const result = body();
    this.taken.clear();
    for (const name of before) this.taken.add(name);
    return result;
  }

  /** Takes this very name where it is free. */
  take(name: string): boolean {
    if (this.taken.has(name) || RESERVED.has(name)) return false;
    this.taken.add(name);
    return true;
  }

  className(): string {
    return this.fresh(() => capital(this.noun()));
  }

  constant(): string {
    return this.fresh(() => this.noun().toUpperCase() + (this.random.uniform() < 0.4 ? `_${this.noun().toUpperCase()}` : "S"));
  }

  variable(): string {
    const r = this.random;
    return this.fresh(() => (r.uniform() < 0.75 ? this.noun() : r.pick(ADJECTIVES) + capital(this.noun())));
  }

  short(): string {
    return this.fresh(() => this.random.pick(["i", "j", "k", "n", "x", "y", "a", "b", "m", "p", "q", "t"]));
  }

  plural(): string {
    return this.fresh(() => this.noun() + "s");
  }

  functionName(predicate: boolean): string {
    const r = this.random;
    return this.fresh(() =>
      predicate
        ? r.pick(["is", "has", "can"]) + capital(r.uniform() < 0.5 ? r.pick(ADJECTIVES) : this.noun())
        : r.uniform() < 0.7
          ? r.pick(VERBS) + capital(this.noun()) + (r.uniform() < 0.2 ? "s" : "")
          : this.noun() + r.pick(["Of", "From", "At", "Between", "For"]) + capital(this.noun()),
    );
  }

  field(): string {
    return this.noun();
  }

  file(): string {
    const r = this.random;
    return this.noun() + (r.uniform() < 0.3 ? "-" + this.noun() : r.uniform() < 0.4 ? "s" : "");
  }

  phrase(): string {
    const r = this.random;
    return (r.uniform() < 0.5 ? r.pick(ADJECTIVES) + " " : "") + this.noun();
  }
}
