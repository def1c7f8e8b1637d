// A value of objects, lists, texts and numbers → another one: most changes keep its shape, so that readers get past their first check.
import type { Random } from '../random.ts'
import { CHANGES } from './bytes.ts'
import { TEXTS } from './nasty.ts'

/** Appears in a text as it is: a number that no double holds, a wrong escape. */
export class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** One to six changes. `raw` are texts of values, written as they are. */
export function mutateValue(
  random: Random,
  value: unknown,
  words: readonly string[],
  raw: readonly string[],
): unknown {
  const root: Holder = { '': structuredClone(value) }
  for (let n = random.pick(CHANGES); n > 0; n--) {
    const { holder, key } = placeIn(random, root)
    const isShaped = !random.once(3)
    if (isShaped) keepShape(random, holder, key, words)
    else breakShape(random, holder, key, words, raw, holder === root)
  }
  return root['']
}

type Holder = Record<string | number, unknown>

/** Somewhere below the root: places near it as likely as deep ones. */
function placeIn(random: Random, root: Holder): { holder: Holder; key: string | number } {
  let holder = root
  let key: string | number = ''
  for (;;) {
    const value = holder[key]
    if (typeof value !== 'object' || value === null || value instanceof Raw || random.once(6)) break
    const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
    if (keys.length === 0) break
    holder = value as Holder
    key = random.pick(keys)
  }
  return { holder, key }
}

function textFor(random: Random, words: readonly string[]): string {
  return words.length > 0 && random.once(2) ? random.pick(words) : random.pick(TEXTS)
}

/** The same kind of value: another text, number or order, something more or less in a list or an object. */
function keepShape(random: Random, holder: Holder, key: string | number, words: readonly string[]): void {
  const value = holder[key]
  if (typeof value === 'string') {
    const cut = random.below(value.length + 1)
    holder[key] = random.pick([
      textFor(random, words),
      textFor(random, words),
      value.slice(0, cut) + textFor(random, words) + value.slice(cut),
      value.slice(0, cut) + value.slice(cut + 1),
      value.toUpperCase(),
      `${value}${value}`,
    ])
  } else if (typeof value === 'number') {
    holder[key] = random.pick([0, 1, -1, 2, 3, 0.5, 1e9, 2 ** 31, 2 ** 53, -(2 ** 53) + 1, value + 1])
  } else if (typeof value === 'boolean') holder[key] = !value
  else if (Array.isArray(value)) {
    const at = random.below(value.length + 1)
    if (random.once(3)) value.splice(at, 1)
    else if (random.once(2)) value.splice(at, 0, structuredClone(value[random.below(value.length)]))
    else holder[key] = random.shuffle(value)
  } else if (typeof value === 'object' && value !== null && !(value instanceof Raw)) {
    const inner = value as Holder
    const keys = Object.keys(inner)
    const [a, b] = [random.below(keys.length), random.below(keys.length)].map(n => keys[n] ?? '') as [
      string,
      string,
    ]
    if (random.once(3)) delete inner[a]
    else if (random.once(2)) [inner[a], inner[b]] = [inner[b], inner[a]]
    else put(inner, textFor(random, words), structuredClone(inner[a]))
  }
}

function breakShape(
  random: Random,
  holder: Holder,
  key: string | number,
  words: readonly string[],
  raw: readonly string[],
  isRoot: boolean,
): void {
  switch (random.below(7)) {
    case 0:
      if (!isRoot) delete holder[key]
      return
    case 1:
      holder[key] = [holder[key]]
      return
    case 2:
      holder[key] = { [textFor(random, words) || 'x']: holder[key] }
      return
    case 3:
      holder[key] = new Raw(random.pick(raw))
      return
    case 4:
      holder[key] = Array<unknown>(random.size(300)).fill(holder[key])
      return
    case 5:
      holder[key] = random.pick([true, false, [], {}, '', 0, -1.5])
      return
    default:
      holder[key] = textFor(random, words)
  }
}

function put(holder: Holder, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true })
}
