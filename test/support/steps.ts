// Work → how many steps it takes, the same number on every machine: how often each block of code ran, as V8 counts it for coverage, and
// how many characters or elements the engine's own functions went through. What the engine does inside one regular expression from one
// place on is not seen: the campaigns `long` and `patterns` look at those. Import this before what is to be counted: code that was compiled earlier has
// no counters for its blocks.
import { type Profiler, Session } from 'node:inspector'
import { setFlagsFromString } from 'node:v8'

// Of a function that was not called for a while the engine throws its code away, and what it had counted with it.
setFlagsFromString('--no-flush-bytecode')
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

let inside = 0
let isCounting = false

/**
 * How many steps each piece of work takes. What they need is made before, and what the engine says is added up after: only they are
 * counted. The engine is asked once for each, which takes longer than most of them.
 */
export function countSteps(...works: readonly (() => unknown)[]): number[] {
  taken()
  const counted = works.map(work => {
    inside = 0
    isCounting = true
    try {
      work()
    } finally {
      isCounting = false
    }
    return { blocks: taken(), inside }
  })
  return counted.map(({ blocks, inside }) => sum(blocks) + inside)
}

/** The same of work that waits in between. Nothing else may run meanwhile. */
export async function countStepsOf(...works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  taken()
  const counted: { readonly blocks: Profiler.TakePreciseCoverageReturnType; readonly inside: number }[] = []
  for (const work of works) {
    inside = 0
    isCounting = true
    try {
      await work()
    } finally {
      isCounting = false
    }
    counted.push({ inside, blocks: taken() })
  }
  return counted.map(({ blocks, inside }) => sum(blocks) + inside)
}

function taken(): Profiler.TakePreciseCoverageReturnType {
  let blocks: Profiler.TakePreciseCoverageReturnType = { result: [] }
  // Answers before it returns: the session is with this very thread.
  session.post('Profiler.takePreciseCoverage', (error, params) => {
    if (error !== null) throw error
    blocks = params
  })
  return blocks
}

function sum({ result }: Profiler.TakePreciseCoverageReturnType): number {
  let steps = 0
  for (const { functions, url } of result) {
    // What the engine's own modules do has no part in the growth of ours: timers, and what the test runner watches.
    if (url === import.meta.url || url.startsWith('node:')) continue
    for (const { ranges } of functions) for (const { count } of ranges) steps += count
  }
  return steps
}

type Method = (this: never, ...args: never[]) => unknown

/** Puts a counter before one of the engine's functions. `cost` is asked with what it was called on, what it was given, and its answer. */
function charge<T>(
  owner: object,
  names: readonly PropertyKey[],
  cost: (self: T, args: readonly unknown[], answer: unknown) => number,
): void {
  for (const name of names) {
    const plain = Reflect.get(owner, name) as Method
    Object.defineProperty(owner, name, {
      configurable: true,
      writable: true,
      value: function counted(this: T, ...args: unknown[]): unknown {
        const answer = Reflect.apply(plain, this, args)
        if (isCounting) {
          isCounting = false
          inside += cost(this, args, answer)
          isCounting = true
        }
        return answer
      },
    })
  }
}

const length = (self: { readonly length: number }) => self.length
/** From where the search began to where it ended. */
const searched = ({ length }: { readonly length: number }, args: readonly unknown[], answer: unknown) => {
  const from = typeof args[1] === 'number' ? args[1] : 0
  return typeof answer === 'number' && answer >= 0 ? answer - from + 1 : Math.max(0, length - from)
}
const { indexOf } = String.prototype
const included = (self: string, args: readonly unknown[]) =>
  searched(self, args, Reflect.apply(indexOf, self, args))

charge<string>(String.prototype, ['indexOf'], searched)
charge<string>(String.prototype, ['includes'], included)
charge<string>(
  String.prototype,
  ['split', 'replace', 'replaceAll', 'match', 'search', 'trim', 'toLowerCase', 'toUpperCase', 'normalize'],
  length,
)
charge<string>(String.prototype, ['lastIndexOf'], (self, [, from], answer) => {
  const begin = typeof from === 'number' ? Math.min(from, self.length) : self.length
  return Math.max(0, begin - Math.max(0, Number(answer)))
})
charge<unknown[]>(Array.prototype, ['indexOf', 'includes'], (self, args, answer) =>
  answer === true ? self.length : searched(self, args, answer),
)
charge<unknown[]>(
  Array.prototype,
  [
    'concat',
    'slice',
    'splice',
    'shift',
    'unshift',
    'join',
    'reverse',
    'flat',
    'sort',
    'lastIndexOf',
    'toSorted',
  ],
  (self, _, answer) => Math.max(Array.isArray(answer) ? answer.length : 0, self.length),
)
charge<unknown>(
  Object,
  ['keys', 'values', 'entries', 'fromEntries', 'getOwnPropertyNames'],
  (_, [value], answer) =>
    Array.isArray(answer) ? answer.length : Object.getOwnPropertyNames(value ?? {}).length,
)
charge<unknown>(JSON, ['stringify'], (_, __, answer) => String(answer).length)
charge<unknown>(JSON, ['parse'], (_, [text]) => String(text).length)
charge<unknown>(Buffer, ['from', 'concat'], (_, __, answer) => (answer as Buffer).length)
charge<Uint8Array>(Buffer.prototype, ['equals'], length)
charge<Uint8Array>(Buffer.prototype, ['indexOf'], searched)
charge<Uint8Array>(Buffer.prototype, ['toString'], (_, __, answer) => String(answer).length)

const { exec } = RegExp.prototype
Object.defineProperty(RegExp.prototype, 'exec', {
  configurable: true,
  writable: true,
  value: function counted(this: RegExp, text: string): RegExpExecArray | null {
    const from = this.global || this.sticky ? this.lastIndex : 0
    const found = Reflect.apply(exec, this, [text]) as RegExpExecArray | null
    if (isCounting) {
      if (found !== null) inside += found.index + found[0].length - from + 1
      else inside += this.sticky ? 1 : Math.max(0, String(text).length - from)
    }
    return found
  },
})

/** Spread and destructuring go through this, element by element. */
const { values } = Array.prototype
Object.defineProperty(Array.prototype, Symbol.iterator, {
  configurable: true,
  writable: true,
  value: function counted(this: unknown[]): IterableIterator<unknown> {
    const plain = Reflect.apply(values, this, []) as IterableIterator<unknown>
    if (!isCounting) return plain
    return {
      next: () => {
        inside++
        return plain.next()
      },
      [Symbol.iterator]() {
        return this
      },
    }
  },
})
