/**
 * Common functions and small classes of ordinary utility code, as templates for random modules: what they compute makes
 * sense, so what breaks them can be seen, while names, constants and phrasing are random.
 *
 * In a template `$name` is a random name (a plural where it ends in "s", a function's where it starts with "f", a
 * class's where it starts with "C", one letter where it is one letter), `@a` a field of the module's records, `<2-9>` a
 * random number, `~` a random short text, `«a|b»` one of several ways to write it. A line that starts with "?" is left
 * out half of the time. Parameters carry the type of the arguments they are tried with. A line that starts with "call" gives
 * the name of a method and an expression that uses it.
 */
import type { Random } from "../../src/compute/index.ts";
import type { Names } from "./words.ts";

export const IDIOMS: readonly string[] = `
export function $fTotal($xs: numbers) {
  let $sum = 0;
  for (const $x of $xs) $sum += $x;
  return $sum;
}

export function $fTotal($items: records) {
  let $sum = 0;
  for (const $item of $items) {
    $sum += «$item.@a|$item.@a * $item.@b|$item.@a - $item.@b|$item.@a + $item.@b»;
  }
  return $sum;
}

export function $fCount($xs: numbers, $limit: number) {
  let $count = 0;
  for (const $x of $xs) {
    if ($x «>|>=|<|<=|===» $limit) $count «+= 1|++»;
  }
  return $count;
}

export function $fCount($items: records, $limit: number) {
  let $count = 0;
  for (const $item of $items) {
    if ($item.@a «>|>=|<|<=|===» $limit) {
      $count «+= 1|++»;
    }
  }
  return $count;
}

export function $fCount($words: strings, $letter: string) {
  return $words.filter(($word) => $word.«includes|startsWith|endsWith»($letter)).length;
}

export function $fAverage($xs: numbers) {
  if ($xs.length === 0) return 0;
  let $sum = 0;
  for (const $x of $xs) $sum += $x;
  return «$sum / $xs.length|Math.round($sum / $xs.length)|Math.floor($sum / $xs.length)»;
}

export function $fAverage($items: records) {
  if ($items.length === 0) return «0|null»;
  const $sum = $items.reduce(($total, $item) => $total + $item.@a, 0);
  return $sum / $items.length;
}

export function $fBest($xs: numbers) {
  let $best = $xs[0];
  for (const $x of $xs) {
    if ($x «>|<» $best) $best = $x;
  }
  return $best;
}

export function $fBest($xs: numbers) {
  let $best = 0;
  for (let $i = 1; $i < $xs.length; $i++) {
    if ($xs[$i] «>|<|>=|<=» $xs[$best]) $best = $i;
  }
  return $best;
}

export function $fBest($items: records) {
  let $best = null;
  for (const $item of $items) {
    if ($best === null || $item.@a «>|<» $best.@a) $best = $item;
  }
  return $best;
}

export function $fLongest($words: strings) {
  let $longest = «''|0»;
  for (const $word of $words) {
    if ($word.length > $longest.length) $longest = $word;
  }
  return $longest;
}

export function $fWidth($words: strings) {
  let $width = 0;
  for (const $word of $words) $width = Math.max($width, $word.length);
  return $width;
}

export function $fClamp($value: number, $low: number, $high: number) {
  if ($value < $low) return $low;
  if ($value > $high) return $high;
  return $value;
}

export function $fClamp($value: number, $low: number, $high: number) {
  return Math.max($low, Math.min($high, $value));
}

export function $isInside($value: number, $low: number, $high: number) {
  return $value >= $low && $value «<|<=» $high;
}

export function $isInside($item: record, $value: number) {
  return $value >= $item.@a && $value «<|<=» $item.@b;
}

export function $fWrap($value: number, $size: number) {
  ?if ($size <= 0) throw new RangeError('$size must be positive');
  return (($value % $size) + $size) % $size;
}

export function $fDistance($from: number, $to: number) {
  return Math.abs($from - $to);
}

export function $fOverlap($from: record, $to: record) {
  const $start = Math.max($from.@a, $to.@a);
  const $end = Math.min($from.@b, $to.@b);
  return «Math.max(0, $end - $start)|$end > $start ? $end - $start : 0»;
}

export function $hasOverlap($from: record, $to: record) {
  return $from.@a < $to.@b && $to.@a < $from.@b;
}

export function $fPercent($part: number, $whole: number) {
  if ($whole === 0) return 0;
  return «Math.round|Math.floor»(($part «* 100) / $whole|/ $whole) * 100»);
}

export function $fPortion($amount: number, $percent: number) {
  return «$amount - |$amount + |»Math.floor(($amount * $percent) / 100);
}

export function $fShare($amount: number, $people: number) {
  const $base = Math.floor($amount / $people);
  const $rest = $amount % $people;
  const $shares = [];
  for (let $i = 0; $i < $people; $i++) {
    $shares.push($i < $rest ? $base + 1 : $base);
  }
  return $shares;
}

export function $fPages($count: number, $size: number) {
  ?if ($count === 0) return 1;
  return Math.ceil($count / $size);
}

export function $fPage($xs: numbers, $page: number, $size: number) {
  const $start = «$page * $size|($page - 1) * $size»;
  return $xs.slice($start, $start + $size);
}

export function $fChunk($xs: numbers, $size: number) {
  if ($size < 1) throw new RangeError('$size is too small');
  const $chunks = [];
  for (let $i = 0; $i < $xs.length; $i += $size) {
    $chunks.push($xs.slice($i, $i + $size));
  }
  return $chunks;
}

export function $fWindows($xs: numbers, $size: number) {
  const $windows = [];
  for (let $i = 0; $i + $size <= $xs.length; $i++) {
    $windows.push($xs.slice($i, $i + $size));
  }
  return $windows;
}

export function $fSteps($xs: numbers) {
  const $steps = [];
  for (let $i = 1; $i < $xs.length; $i++) {
    $steps.push($xs[$i] - $xs[$i - 1]);
  }
  return $steps;
}

export function $fSums($xs: numbers) {
  const $sums = [];
  let $total = 0;
  for (const $x of $xs) {
    $total += $x;
    $sums.push($total);
  }
  return $sums;
}

export function $isSorted($xs: numbers) {
  for (let $i = 1; $i < $xs.length; $i++) {
    if ($xs[$i] < $xs[$i - 1]) return false;
  }
  return true;
}

export function $fPairs($xs: numbers) {
  const $pairs = [];
  for (let $i = 0; $i < $xs.length; $i++) {
    for (let $j = $i + 1; $j < $xs.length; $j++) {
      $pairs.push([$xs[$i], $xs[$j]]);
    }
  }
  return $pairs;
}

export function $fPair($xs: numbers, $target: number) {
  for (let $i = 0; $i < $xs.length; $i++) {
    for (let $j = $i + 1; $j < $xs.length; $j++) {
      if ($xs[$i] + $xs[$j] === $target) return [$i, $j];
    }
  }
  return null;
}

export function $fFind($xs: numbers, $value: number) {
  for (let $i = 0; $i < $xs.length; $i++) {
    if ($xs[$i] === $value) return $i;
  }
  return -1;
}

export function $fFind($items: records, $value: number) {
  const $found = $items.find(($item) => $item.@a «===|>=|>» $value);
  «return $found ?? null|return $found === undefined ? null : $found|if ($found === undefined) throw new Error('no such @a: ' + $value);
  return $found»;
}

export function $fSearch($xs: numbers, $value: number) {
  let $low = 0;
  let $high = $xs.length - 1;
  while ($low <= $high) {
    const $middle = Math.floor(($low + $high) / 2);
    if ($xs[$middle] === $value) return $middle;
    if ($xs[$middle] < $value) $low = $middle + 1;
    else $high = $middle - 1;
  }
  return -1;
}

export function $fInsert($xs: numbers, $value: number) {
  let $at = 0;
  while ($at < $xs.length && $xs[$at] <«|=» $value) $at += 1;
  return [...$xs.slice(0, $at), $value, ...$xs.slice($at)];
}

export function $fMerge($xs: numbers, $ys: numbers) {
  const $result = [];
  let $i = 0;
  let $j = 0;
  while ($i < $xs.length && $j < $ys.length) {
    if ($xs[$i] <= $ys[$j]) $result.push($xs[$i++]);
    else $result.push($ys[$j++]);
  }
  return [...$result, ...$xs.slice($i), ...$ys.slice($j)];
}

export function $fUnique($xs: numbers) {
  const $found = [];
  for (const $x of $xs) {
    if (!$found.includes($x)) $found.push($x);
  }
  return $found;
}

export function $fCommon($xs: numbers, $ys: numbers) {
  return $xs.filter(($x) => «|!»$ys.includes($x));
}

export function $fRotate($xs: numbers, $count: number) {
  const $at = $count % $xs.length;
  return [...$xs.slice($at), ...$xs.slice(0, $at)];
}

export function $fWithout($xs: numbers, $index: number) {
  return [...$xs.slice(0, $index), ...$xs.slice($index + 1)];
}

export function $fMoved($xs: numbers, $from: number, $to: number) {
  const $copys = $xs.slice();
  const [$item] = $copys.splice($from, 1);
  $copys.splice($to, 0, $item);
  return $copys;
}

export function $fLast($xs: numbers, $count = 1: number) {
  return $xs.slice(«-$count|Math.max(0, $xs.length - $count)»);
}

export function $fRange($from: number, $to: number) {
  const $xs = [];
  for (let $i = $from; $i «<|<=» $to; $i++) {
    $xs.push(«$i|$i * $i|$i * <2-5>»);
  }
  return $xs;
}

export function $fScale($xs: numbers, $factor: number) {
  return $xs.map(($x) => $x «*|+|-» $factor);
}

export function $fKeep($xs: numbers, $limit: number) {
  return $xs.filter(($x) => $x «>=|>|<|<=» $limit);
}

export function $fKeep($items: records, $limit: number) {
  return $items.filter(($item) => $item.@a «>=|>|<|<=» $limit)«|.map(($item) => $item.@b)»;
}

export function $hasAny($xs: numbers, $limit: number) {
  return $xs.«some|every»(($x) => $x «>=|>|<|<=|===» $limit);
}

export function $hasAny($items: records) {
  return $items.«some|every»(($item) => $item.@a «>=|>|<|<=|===» $item.@b);
}

export function $fSort($xs: numbers) {
  return [...$xs].sort(($a, $b) => «$a - $b|$b - $a»);
}

export function $fSort($items: records) {
  return [...$items].sort(($a, $b) => «$a.@a - $b.@a|$b.@a - $a.@a|$a.@a - $b.@a || $a.@b - $b.@b|$b.@a - $a.@a || $a.@b - $b.@b»);
}

export function $fMedian($xs: numbers) {
  const $sorted = [...$xs].sort(($a, $b) => $a - $b);
  const $middle = Math.floor($sorted.length / 2);
  if ($sorted.length % 2 === 1) return $sorted[$middle];
  return ($sorted[$middle - 1] + $sorted[$middle]) / 2;
}

export function $fSpread($xs: numbers) {
  return Math.max(...$xs) - Math.min(...$xs);
}

export function $fGroups($xs: numbers, $size: number) {
  const $groups = {};
  for (const $x of $xs) {
    const $key = «Math.floor($x / $size)|$x % $size»;
    «$groups[$key] = ($groups[$key] ?? 0) + 1|$groups[$key] ??= [];
    $groups[$key].push($x)»;
  }
  return $groups;
}

export function $fTally($words: strings) {
  const $counts = new Map();
  for (const $word of $words) {
    $counts.set($word, ($counts.get($word) ?? 0) + 1);
  }
  return [...$counts];
}

export function $fTally($items: records) {
  const $sums = {};
  for (const { @a, @b } of $items) {
    $sums[@a] = ($sums[@a] ?? 0) + @b;
  }
  return $sums;
}

export function $fCommonest($words: strings) {
  const $counts = {};
  for (const $word of $words) $counts[$word] = ($counts[$word] ?? 0) + 1;
  let $best = null;
  for (const [$word, $count] of Object.entries($counts)) {
    if ($best === null || $count > $counts[$best]) $best = $word;
  }
  return $best;
}

export function $fZip($xs: numbers, $ys: numbers) {
  const $pairs = [];
  const $length = Math.min($xs.length, $ys.length);
  for (let $i = 0; $i < $length; $i++) $pairs.push(«[$xs[$i], $ys[$i]]|$xs[$i] + $ys[$i]|$xs[$i] * $ys[$i]»);
  return $pairs;
}

export function $fDot($xs: numbers, $ys: numbers) {
  if ($xs.length !== $ys.length) throw new RangeError('lengths differ');
  return $xs.reduce(($sum, $x, $i) => $sum + $x * $ys[$i], 0);
}

export function $isEqual($xs: numbers, $ys: numbers) {
  if ($xs.length !== $ys.length) return false;
  for (let $i = 0; $i < $xs.length; $i++) {
    if ($xs[$i] !== $ys[$i]) return false;
  }
  return true;
}

export function $fGcd($a: number, $b: number) {
  let $large = Math.abs($a);
  let $small = Math.abs($b);
  while ($small > 0) {
    const $rest = $large % $small;
    $large = $small;
    $small = $rest;
  }
  return $large;
}

export function $isPrime($n: number) {
  if ($n < 2) return false;
  for (let $i = 2; $i * $i <= $n; $i++) {
    if ($n % $i === 0) return false;
  }
  return true;
}

export function $fDivisors($n: number) {
  const $divisors = [];
  for (let $i = 1; $i <= $n; $i++) {
    if ($n % $i === 0) $divisors.push($i);
  }
  return $divisors;
}

export function $fPower($base: number, $exponent: number) {
  let $result = 1;
  for (let $i = 0; $i < $exponent; $i++) $result *= $base;
  return $result;
}

export function $fFactorial($n: number) {
  if ($n <= 1) return 1;
  return $n * $fFactorial($n - 1);
}

export function $fFibonacci($n: number) {
  let $a = 0;
  let $b = 1;
  for (let $i = 0; $i < $n; $i++) {
    [$a, $b] = [$b, $a + $b];
  }
  return $a;
}

export function $fDigits($n: number) {
  let $rest = Math.abs($n);
  let $sum = 0;
  while ($rest > 0) {
    $sum += $rest % 10;
    $rest = Math.floor($rest / 10);
  }
  return $sum;
}

export function $fReversed($n: number) {
  let $rest = $n;
  let $result = 0;
  while ($rest > 0) {
    $result = $result * 10 + ($rest % 10);
    $rest = Math.floor($rest / 10);
  }
  return $result;
}

export function $fBinary($n: number) {
  if ($n === 0) return '0';
  let $text = '';
  let $rest = $n;
  while ($rest > 0) {
    $text = ($rest % 2) + $text;
    $rest = Math.floor($rest / 2);
  }
  return $text;
}

export function $fCollatz($n: number) {
  let $value = $n;
  let $steps = 0;
  while ($value > 1 && $steps < 100) {
    $value = $value % 2 === 0 ? $value / 2 : $value * 3 + 1;
    $steps += 1;
  }
  return $steps;
}

export function $fRound($value: number, $step: number) {
  return Math.«round|floor|ceil»($value / $step) * $step;
}

export function $fGrade($score: number) {
  if ($score >= 90) return 'A';
  if ($score >= 70) return 'B';
  if ($score >= 50) return 'C';
  return 'D';
}

export function $fFee($amount: number) {
  if ($amount <= <1-4>) return <1-9>;
  if ($amount <= <5-20>) return <10-30>;
  return <31-40> + ($amount - <5-20>) * <2-6>;
}

export function $fTax($income: number) {
  let $tax = 0;
  if ($income > 10) $tax += (Math.min($income, 40) - 10) * 2;
  if ($income > 40) $tax += ($income - 40) * 4;
  return $tax;
}

export function $fPrice($count: number, $price: number) {
  const $full = $count * $price;
  if ($count >= <5-10>) return «$full - Math.floor($full / 10)|Math.floor(($full * 90) / 100)»;
  return $full;
}

export function $fClock($minutes: number) {
  const $hours = Math.floor($minutes / 60);
  const $rest = $minutes % 60;
  return «$hours + ':' + String($rest).padStart(2, '0')|$hours + 'h ' + $rest + 'm'|\`\${$hours}:\${$rest < 10 ? '0' : ''}\${$rest}\`»;
}

export function $fMinutes($text: string) {
  const [$hours, $minutes] = $text.split(':').map(Number);
  return $hours * 60 + $minutes;
}

export function $fSeconds($hours: number, $minutes: number, $seconds: number) {
  return ($hours * 60 + $minutes) * 60 + $seconds;
}

export function $isLeap($year: number) {
  if ($year % 400 === 0) return true;
  return $year % 4 === 0 && $year % 100 !== 0;
}

const $TABLE = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function $fDays($month: number) {
  if ($month < 1 || $month > 12) throw new RangeError('no month ' + $month);
  return $TABLE[$month - 1];
}

export function $fName($index: number) {
  const $names = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  return $names[$index % $names.length];
}

export function $fSpaces($line: string) {
  let $count = 0;
  while ($count < $line.length && $line[$count] === ' ') $count += 1;
  return $count;
}

export function $fPad($text: string, $width: number) {
  let $result = $text;
  while ($result.length < $width) {
    $result = «$result + ' '|' ' + $result|'0' + $result|$result + '.'»;
  }
  return $result;
}

export function $fCenter($text: string, $width: number) {
  const $space = $width - $text.length;
  if ($space <= 0) return $text;
  const $left = Math.floor($space / 2);
  return ' '.repeat($left) + $text + ' '.repeat($space - $left);
}

export function $fShorten($text: string, $width: number) {
  if ($text.length <= $width) return $text;
  return $text.slice(0, «$width - 3) + '...'|$width - 1) + '*'|Math.max(0, $width - 2)) + '..'»;
}

export function $fCapital($text: string) {
  if ($text === '') return '';
  return $text[0].toUpperCase() + $text.slice(1)«|.toLowerCase()»;
}

export function $fTitle($text: string) {
  return $text
    .split(' ')
    .map(($word) => $word.slice(0, 1).toUpperCase() + $word.slice(1))
    .join(' ');
}

export function $fInitials($text: string) {
  let $result = '';
  for (const $word of $text.split(' ')) {
    if ($word !== '') $result += $word[0]«|.toUpperCase()»;
  }
  return $result;
}

export function $fReverse($text: string) {
  let $result = '';
  for (let $i = $text.length - 1; $i >= 0; $i--) $result += $text[$i];
  return $result;
}

export function $isPalindrome($text: string) {
  for (let $i = 0; $i < Math.floor($text.length / 2); $i++) {
    if ($text[$i] !== $text[$text.length - 1 - $i]) return false;
  }
  return true;
}

export function $fOccurrences($text: string, $letter: string) {
  let $count = 0;
  for (const $char of $text) {
    if ($char === $letter) $count += 1;
  }
  return $count;
}

export function $fVowels($text: string) {
  return [...$text].filter(($char) => 'aeiou'.includes($char)).«length|join('')»;
}

export function $fCommonStart($a: string, $b: string) {
  let $i = 0;
  while ($i < $a.length && $i < $b.length && $a[$i] === $b[$i]) $i++;
  return «$i|$a.slice(0, $i)»;
}

export function $fBefore($text: string, $mark: string) {
  const $at = $text.indexOf($mark);
  if ($at < 0) return $text;
  return $text.slice(«0, $at|$at + 1|$at + $mark.length»);
}

export function $fRepeated($text: string, $count: number) {
  let $result = '';
  for (let $i = 0; $i < $count; $i++) {
    if ($i > 0) $result += ~;
    $result += $text;
  }
  return $result;
}

export function $fRuns($text: string) {
  let $result = '';
  let $i = 0;
  while ($i < $text.length) {
    let $end = $i + 1;
    while ($end < $text.length && $text[$end] === $text[$i]) $end += 1;
    $result += $text[$i] + ($end - $i);
    $i = $end;
  }
  return $result;
}

export function $fCaesar($text: string, $shift: number) {
  let $result = '';
  for (const $char of $text) {
    const $code = $char.charCodeAt(0) - 97;
    if ($code < 0 || $code > 25) $result += $char;
    else $result += String.fromCharCode(($code + $shift + 26) % 26 + 97);
  }
  return $result;
}

export function $fSplit($text: string) {
  const $parts = [];
  let $part = '';
  for (const $char of $text) {
    if ($char === ~) {
      if ($part !== '') $parts.push($part);
      $part = '';
    } else {
      $part += $char;
    }
  }
  if ($part !== '') $parts.push($part);
  return $parts;
}

export function $fLines($words: strings, $width: number) {
  const $lines = [];
  let $line = '';
  for (const $word of $words) {
    if ($line !== '' && $line.length + 1 + $word.length > $width) {
      $lines.push($line);
      $line = '';
    }
    $line += $line === '' ? $word : ' ' + $word;
  }
  if ($line !== '') $lines.push($line);
  return $lines;
}

export function $fNumber($text: string) {
  let $value = 0;
  for (const $char of $text) {
    if ($char < '0' || $char > '9') return «null|-1|NaN»;
    $value = $value * 10 + Number($char);
  }
  return $value;
}

export function $isDigit($char: string) {
  return $char >= '0' && $char <= '9';
}

export function $isBlank($text: string) {
  return $text.trim() === ''«|.trim()»;
}

export function $isBalanced($text: string) {
  let $depth = 0;
  for (const $char of $text) {
    if ($char === '(') $depth += 1;
    if ($char === ')') $depth -= 1;
    if ($depth < 0) return false;
  }
  return $depth === 0;
}

export function $fField($line: string, $index: number) {
  const $parts = $line.split(«','|' '|'-'»);
  return $index < $parts.length ? $parts[$index] : '';
}

export function $fSetting($lines: strings, $key: string) {
  for (const $line of $lines) {
    const $at = $line.indexOf('=');
    if ($at > 0 && $line.slice(0, $at) === $key) return $line.slice($at + 1);
  }
  return null;
}

export function $fPlural($count: number, $word: string) {
  return $count === 1 ? '1 ' + $word : $count + ' ' + $word + 's';
}

export function $fOrdinal($n: number) {
  const $rest = $n % 100;
  if ($rest >= 11 && $rest <= 13) return $n + 'th';
  if ($n % 10 === 1) return $n + 'st';
  if ($n % 10 === 2) return $n + 'nd';
  return $n + ($n % 10 === 3 ? 'rd' : 'th');
}

export function $fRoman($n: number) {
  const $steps = [[10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']];
  let $rest = $n;
  let $text = '';
  for (const [$value, $letters] of $steps) {
    while ($rest >= $value) {
      $text += $letters;
      $rest -= $value;
    }
  }
  return $text;
}

export function $fList($words: strings) {
  if ($words.length < 2) return $words.join('');
  return $words.slice(0, -1).join(', ') + ' and ' + $words[$words.length - 1];
}

export function $fSign($amount: number) {
  const $sign = $amount < 0 ? '-' : '';
  const $value = Math.abs($amount);
  return $sign + Math.floor($value / 10) + '.' + ($value % 10);
}

export function $fBar($value: number, $limit: number) {
  const $filled = Math.round(($value / $limit) * 10);
  return '#'.repeat(Math.min(10, Math.max(0, $filled)));
}

export function $fRows($grid: grid) {
  return $grid.map(($row) => $row.«join(' ')|reduce(($a, $b) => $a + $b, 0)|slice().reverse()»);
}

export function $fSumGrid($grid: grid) {
  let $sum = 0;
  for (let $y = 0; $y < $grid.length; $y++) {
    for (let $x = 0; $x < $grid[$y].length; $x++) {
      $sum += $grid[$y][$x];
    }
  }
  return $sum;
}

export function $fFindCell($grid: grid, $value: number) {
  for (let $y = 0; $y < $grid.length; $y++) {
    for (let $x = 0; $x < $grid[$y].length; $x++) {
      if ($grid[$y][$x] === $value) return «[$x, $y]|{ $x, $y }|$y * $grid[$y].length + $x»;
    }
  }
  return null;
}

export function $fTranspose($grid: grid) {
  const $result = [];
  for (let $x = 0; $x < $grid[0].length; $x++) {
    $result.push($grid.map(($row) => $row[$x]));
  }
  return $result;
}

export function $fDiagonal($grid: grid) {
  let $sum = 0;
  for (let $i = 0; $i < $grid.length; $i++) $sum += $grid[$i][«$i|$grid.length - 1 - $i»];
  return $sum;
}

export function $hasCell($grid: grid, $x: number, $y: number) {
  return $x >= 0 && $y >= 0 && $y < $grid.length && $x < $grid[0].length;
}

export function $fNeighbours($grid: grid, $x: number, $y: number) {
  let $count = 0;
  for (let $dy = -1; $dy <= 1; $dy++) {
    for (let $dx = -1; $dx <= 1; $dx++) {
      if ($dx === 0 && $dy === 0) continue;
      const $row = $grid[$y + $dy];
      if ($row !== undefined && $row[$x + $dx] > 0) $count += 1;
    }
  }
  return $count;
}

export function $fTable($width: number, $height: number) {
  const $rows = [];
  for (let $y = 1; $y <= $height; $y++) {
    const $row = [];
    for (let $x = 1; $x <= $width; $x++) $row.push($x «*|+» $y);
    $rows.push($row);
  }
  return $rows;
}

export function $fMerged($items: records) {
  const $sorted = [...$items].sort(($a, $b) => $a.@a - $b.@a);
  const $merged = [];
  for (const $item of $sorted) {
    const $last = $merged.at(-1);
    if ($last !== undefined && $item.@a <= $last.@b) $last.@b = Math.max($last.@b, $item.@b);
    else $merged.push({ ...$item });
  }
  return $merged;
}

export function $fUpdate($items: records, $index: number, $value: number) {
  return $items.map(($item, $i) => ($i === $index ? { ...$item, @a: «$value|$item.@a + $value|$item.@a - $value» } : $item));
}

export function $fRemove($items: records, $value: number) {
  const $left = [];
  for (const $item of $items) {
    if ($item.@a !== $value) $left.push($item);
    else if ($item.@b > 1) $left.push({ ...$item, @b: $item.@b - 1 });
  }
  return $left;
}

export function $fSummary($items: records) {
  let $low = Infinity;
  let $high = -Infinity;
  for (const { @a } of $items) {
    $low = Math.min($low, @a);
    $high = Math.max($high, @a);
  }
  return { $low, $high };
}

export function $fLabel($item: record) {
  const { @a, @b } = $item;
  return «'@a ' + @a + ' of ' + @b|\`\${@a}/\${@b}\`|@a + ~ + @b|@b > 0 ? @a + ' (' + @b + ')' : String(@a)»;
}

export function $fMoveBy($item: record, $step: number) {
  return { ...$item, @a: $item.@a «+|-» $step«|, @b: $item.@b + $step» };
}

export function $fArea($item: record) {
  return ($item.@b - $item.@a)«| * ($item.@b - $item.@a)| / 2»;
}

export function $fCompare($from: record, $to: record) {
  if ($from.@a !== $to.@a) return $from.@a - $to.@a;
  return $from.@b - $to.@b;
}

export function $fChange($amount: number) {
  const $coins = [];
  let $rest = $amount;
  for (const $coin of [25, 10, 5, 1]) {
    while ($rest >= $coin) {
      $coins.push($coin);
      $rest -= $coin;
    }
  }
  return $coins;
}

export function $fGrowth($start: number, $rate: number, $years: number) {
  let $value = $start;
  for (let $i = 0; $i < $years && $i < 50; $i++) {
    $value += Math.floor(($value * $rate) / 100);
  }
  return $value;
}

export function $fPacked($xs: numbers, $limit: number) {
  const $boxs = [];
  let $load = 0;
  for (const $x of $xs) {
    if ($boxs.length === 0 || $load + $x > $limit) {
      $boxs.push([]);
      $load = 0;
    }
    $boxs.at(-1).push($x);
    $load += $x;
  }
  return $boxs;
}

export function $fPeak($xs: numbers) {
  for (let $i = 1; $i < $xs.length - 1; $i++) {
    if ($xs[$i] > $xs[$i - 1] && $xs[$i] > $xs[$i + 1]) return $i;
  }
  return -1;
}

export function $fStreak($xs: numbers) {
  let $best = 0;
  let $run = 0;
  for (const $x of $xs) {
    $run = $x > 0 ? $run + 1 : 0;
    «if ($run > $best) $best = $run|$best = Math.max($best, $run)»;
  }
  return $best;
}

export function $fBestSum($xs: numbers) {
  let $best = $xs[0];
  let $current = 0;
  for (const $x of $xs) {
    $current = Math.max($x, $current + $x);
    if ($current > $best) $best = $current;
  }
  return $best;
}

export function $fReach($xs: numbers) {
  let $far = 0;
  for (let $i = 0; $i <= $far && $i < $xs.length; $i++) {
    $far = Math.max($far, $i + $xs[$i]);
  }
  return $far >= $xs.length - 1;
}

export function $fFlat($grid: grid) {
  const $cells = [];
  for (const $row of $grid) {
    for (const $cell of $row) «$cells.push($cell)|if ($cell > 0) $cells.push($cell)»;
  }
  return $cells;
}

export function $fEvaluate($text: string) {
  const $stack = [];
  for (const $word of $text.split(' ')) {
    if ($word === '+') $stack.push($stack.pop() + $stack.pop());
    else if ($word === '*') $stack.push($stack.pop() * $stack.pop());
    else $stack.push(Number($word));
  }
  return $stack.pop();
}

export function $fPolynomial($xs: numbers, $value: number) {
  let $result = 0;
  for (let $i = $xs.length - 1; $i >= 0; $i--) {
    $result = $result * $value + $xs[$i];
  }
  return $result;
}

export function $fChecksum($text: string) {
  let $sum = 0;
  for (let $i = 0; $i < $text.length; $i++) {
    $sum = ($sum * <3-31> + $text.charCodeAt($i)) % <97-997>;
  }
  return $sum;
}

export function $fWeights($xs: numbers) {
  const $total = $xs.reduce(($sum, $x) => $sum + $x, 0);
  if ($total === 0) return $xs.map(() => 0);
  return $xs.map(($x) => «$x / $total|Math.round(($x * 100) / $total)»);
}

export function $fBlend($from: number, $to: number, $part: number) {
  return $from + ($to - $from) * $part«| / 100»;
}

const $LIMIT = <3-20>;

export function $isFull($count: number) {
  return $count >= $LIMIT;
}

export function $fRoom($count: number) {
  return Math.max(0, $LIMIT - $count);
}

const $RATES = { low: <1-4>, middle: <5-9>, high: <10-20> };

export function $fRate($kind: string) {
  return $RATES[$kind] ?? $RATES.low;
}

export function $fCost($amount: number, $kind: string) {
  if ($amount <= 0) return 0;
  return $amount * $fRate($kind);
}

export function $fHalf($value: number) {
  return Math.floor($value / 2);
}

export function $fQuarter($value: number) {
  return $fHalf($fHalf($value))«|  + 1| - 1»;
}

export function $isValid($item: record) {
  ?if ($item.@a === $item.@b) return false;
  return $item.@a «<|<=» $item.@b;
}

export function $fValid($items: records) {
  return $items.filter(($item) => $isValid($item))«|.length»;
}

export function $fWeekday($day: number, $first: number) {
  return ($day + $first - 1) % 7;
}

export function $isWeekend($day: number) {
  return $day % 7 >= 5;
}

export function $fWorkdays($from: number, $to: number) {
  let $count = 0;
  for (let $day = $from; $day «<|<=» $to; $day++) {
    if (!$isWeekend($day)) $count += 1;
  }
  return $count;
}

call $fCount new $C(<number>).$fCount()
call $fAdd new $C(<number>).$fAdd(<number>).$fCount()
call $fTake new $C(<number>).$fTake(<number>)
export class $C {
  constructor($start = 0) {
    this.$value = $start;
  }

  $fCount() {
    return this.$value;
  }

  $fAdd($amount) {
    if ($amount < 0) throw new RangeError('negative amount');
    this.$value += $amount;
    return this;
  }

  $fTake($wanted) {
    const $taken = Math.min($wanted, this.$value);
    this.$value -= $taken;
    return $taken;
  }
}

call $fPush new $C(<number>).$fPush(<number>).$fPush(<number>).$items
call $fAverage new $C(<number>).$fPush(<number>).$fPush(<number>).$fAverage()
call $isFull new $C(<number>).$fPush(<number>).$fPush(<number>).$isFull()
export class $C {
  constructor($limit) {
    this.$capacity = $limit;
    this.$items = [];
  }

  $fPush($item) {
    this.$items.push($item);
    if (this.$items.length > this.$capacity) this.$items.shift();
    return this;
  }

  $isFull() {
    return this.$items.length === this.$capacity;
  }

  $fAverage() {
    if (this.$items.length === 0) return 0;
    let $sum = 0;
    for (const $item of this.$items) $sum += $item;
    return $sum / this.$items.length;
  }
}

call $fNext new $C(<numbers>).$fNext().$fNext().$fCurrent()
call $fPrevious new $C(<numbers>).$fNext().$fPrevious().$fCurrent()
call $fRest new $C(<numbers>).$fNext().$fRest()
call $isDone new $C(<numbers>).$fNext().$isDone()
export class $C {
  constructor($items) {
    this.$entries = $items;
    this.$at = 0;
  }

  $fCurrent() {
    return this.$entries[this.$at] ?? null;
  }

  $isDone() {
    return this.$at >= this.$entries.length;
  }

  $fNext() {
    if (this.$at < this.$entries.length - 1) this.$at += 1;
    return this;
  }

  $fPrevious() {
    this.$at = Math.max(0, this.$at - 1);
    return this;
  }

  $fRest() {
    return this.$entries.slice(this.$at + 1);
  }
}

call $fGet new $C().$fSet(<string>, <number>).$fGet(<string>)
call $fSum new $C().$fSet(<string>, <number>).$fSet(<string>, <number>).$fSum()
call $fKeys new $C().$fSet(<string>, <number>).$fKeys(<number>)
export class $C {
  constructor() {
    this.$entries = new Map();
  }

  $fGet($key) {
    return this.$entries.get($key) ?? 0;
  }

  $fSet($key, $value) {
    this.$entries.set($key, this.$fGet($key) + $value);
    return this;
  }

  $fSum() {
    let $sum = 0;
    for (const $value of this.$entries.values()) $sum += $value;
    return $sum;
  }

  $fKeys($limit) {
    return [...this.$entries.keys()].filter(($key) => this.$fGet($key) >= $limit);
  }
}

call $fPeek new $C(<string>).$fPeek()
call $fWord new $C(<string>).$fWord()
call $fNumber new $C(<string>).$fNumber()
export class $C {
  constructor($text) {
    this.$source = $text;
    this.$position = 0;
  }

  $fPeek($ahead = 0) {
    return this.$source[this.$position + $ahead] ?? '';
  }

  $fWord() {
    const $start = this.$position;
    while (this.$position < this.$source.length && this.$fPeek() !== ' ') {
      this.$position += 1;
    }
    return this.$source.slice($start, this.$position);
  }

  $fNumber() {
    let $value = 0;
    while (this.$fPeek() >= '0' && this.$fPeek() <= '9') {
      $value = $value * 10 + Number(this.$fPeek());
      this.$position += 1;
    }
    return $value;
  }
}
`.trim().split(/\n\n(?=export|const|call)/).reduce<string[]>((all, part) => {
  if (all.length > 0 && belongsTo(all[all.length - 1], part)) all[all.length - 1] += `\n\n${part}`;
  else all.push(part);
  return all;
}, []);

/** A function goes with the constant above it, and with functions above it that it uses. */
function belongsTo(previous: string, part: string): boolean {
  const own = /function (\$\w+)/.exec(part)?.[1];
  const declared = [...previous.matchAll(/(?:function|const) (\$(?:f[A-Z]|is[A-Z]|has[A-Z]|[A-Z]{2})\w*)/g)].map((match) => match[1]);
  return declared.some((name) => name !== own && part.replace(/^export function.*/gm, "").includes(name)) || previous.split("\n\n").at(-1)!.startsWith("const ");
}

export interface RenderedIdiom {
  source: string;
  functions: { name: string; params?: { name: string; type: string }[]; calls?: string[] }[];
}

const CAPITALS = /^[A-Z]{2}/;
const TEXTS = ["' '", "','", "'-'", "', '", "':'", "'/'", "'.'"];

/** Names of functions, classes and constants are known in the whole module. */
const isGlobal = (word: string) => CAPITALS.test(word) || word === "C" || /^(f|is|has)[A-Z]/.test(word);

/** One template with its choices made. Names of functions, classes and constants stay taken in `names`, others are free again. */
export function renderIdiom(random: Random, names: Names, fields: readonly string[], idioms: readonly string[] = IDIOMS): RenderedIdiom {
  let text = random.pick(idioms)
    .replace(/«([^»]*)»/g, (_, choices: string) => random.pick(choices.split(/(?<!\|)\|(?!\|)/)))
    .replace(/^( *)\?(.*\n)/gm, (_, indent: string, line: string) => (random.uniform() < 0.5 ? indent + line : ""))
    .replace(/<(\d+)-(\d+)>/g, (_, low: string, high: string) => String(random.int(Number(low), Number(high))))
    .replaceAll("~", () => random.pick(TEXTS))
    .replace(/@([a-c])/g, (_, letter: string) => fields[(letter.charCodeAt(0) - 97) % fields.length]);
  const renamed = new Map<string, string>();
  const words = [...new Set([...text.matchAll(/\$(\w+)/g)].map((match) => match[1]))];
  const own = (word: string) => random.uniform() < (word.length === 1 ? 0.6 : 0.35) && names.take(word);
  for (const word of words.filter(isGlobal)) {
    renamed.set(word, CAPITALS.test(word) ? names.constant() : word === "C" ? names.className() : names.functionName(!word.startsWith("f")));
  }
  names.scope(() => {
    for (const word of words.filter((w) => !isGlobal(w))) {
      renamed.set(word, own(word) ? word : word.length === 1 ? names.short() : word.endsWith("s") ? names.plural() : names.variable());
    }
  });
  text = text.replace(/\$(\w+)/g, (_, word: string) => renamed.get(word)!);
  const functions: RenderedIdiom["functions"] = [];
  const calls = new Map<string, string[]>();
  text = text.replace(/^call (\w+) (.*)\n/gm, (_, method: string, expression: string) => {
    calls.set(method, [...(calls.get(method) ?? []), expression]);
    return "";
  });
  const className = renamed.get("C");
  for (const [method, list] of calls) functions.push({ name: `${className}.${method}`, calls: list });
  text = text.replace(/^export function (\w+)\((.*)\) \{$/gm, (_, name: string, list: string) => {
    const params: { name: string; type: string }[] = [];
    const bare = list.replace(/(\w+)( = [^,:]+)?: (\w+)/g, (_whole, param: string, value: string | undefined, type: string) => {
      params.push({ name: param, type });
      return param + (value ?? "");
    });
    functions.push({ name, params });
    return `export function ${name}(${bare}) {`;
  });
  return { source: text, functions };
}
