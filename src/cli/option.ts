// The table in which a command declares its options and positionals, and the options of every command. The types of the arguments follow from
// the table.
/**
 * What a value may name beside a path, so that a name that is not found can be looked for in the other places: the source of an agent, an
 * installed agent, or neither.
 */
export type Meant = 'source' | 'installed' | 'installed or source' | 'bundle'

interface Described {
  /** One line without a full stop, for `--help`. */
  readonly describe: string
  /** One letter: `alias: 'o'` is `-o`. */
  readonly alias?: string
  /** Left out of `--help` and completion. */
  readonly hidden?: true
}

/** What `rlp __complete` reads from the lock and the records of this user (cli/completion/lists.ts). */
export type ListName = 'locked' | 'reference' | 'identity'

interface Valued extends Described {
  /** Shells offer these beside files and names. */
  readonly lists?: readonly ListName[]
  /** The value's name in `--help`. `FILE`, `PATH` and `DIR` also tell shells to complete files or folders. */
  readonly placeholder?: string
  /** Refused if absent. */
  readonly required?: true
}

export interface StringOption extends Valued {
  readonly type: 'string'
  /** What a value may begin with, `env:`; shells offer it beside files and names. */
  readonly begins?: readonly string[]
  readonly choices?: readonly string[]
  readonly default?: string
  readonly names?: Meant
  /** Without it an empty value is refused: it is nearly always an unset shell variable. */
  readonly allowEmpty?: true
}

/** Plain decimals only: no hex, no exponent, no sign but a minus. `min` and `max` are inclusive. */
export interface NumberOption extends Valued {
  readonly type: 'integer' | 'number'
  readonly default?: number
  readonly min?: number
  readonly max?: number
}

/** `--name`, `--name=true`, `--name=false`; with `negatable` also `--no-name`. */
interface BooleanOption extends Described {
  readonly type: 'boolean'
  readonly default?: boolean
  readonly negatable?: true
}

/** Repeatable, and a comma separates items unless `commas` is false. An absent list is empty. */
export interface ListOption extends Valued {
  readonly type: 'strings'
  /** What shells offer; other values are taken too. */
  readonly words?: readonly string[]
  readonly choices?: readonly string[]
  readonly commas?: false
  /** As for a text. */
  readonly allowEmpty?: true
}

/** Recognised and refused. `instead` says what to do. */
interface RefusedOption extends Described {
  readonly type: 'refused'
  readonly instead: string
}

export type Option = StringOption | NumberOption | BooleanOption | ListOption | RefusedOption

/** Keys are the flags without dashes, as people type them: `'agents-dir'` is `--agents-dir` and `args.agentsDir`. */
export interface OptionTable {
  readonly [flag: string]: Option
}

/** An argument without a flag. Required ones come before optional ones; only the last may be `many`. */
export interface Positional {
  readonly name: string
  readonly describe: string
  readonly required?: true
  readonly many?: true
  /** Without it an empty value is refused. */
  readonly allowEmpty?: true
  readonly choices?: readonly string[]
  /** What a value may begin with, `env:`; shells offer it beside files and names. */
  readonly begins?: readonly string[]
  /** Shells offer these beside files and names. */
  readonly lists?: readonly ListName[]
  /** What shells complete: files (and folders) by default. */
  readonly complete?: 'file' | 'dir' | 'none'
  readonly names?: Meant
}

type Camel<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S

type Choice<T> = T extends { choices: readonly (infer C extends string)[] } ? C : string

type Absent<T> = T extends { required: true } | { default: string | number } ? never : undefined

type ValueOf<T extends Option> = T extends { type: 'boolean' }
  ? T extends { negatable: true }
    ? T extends { default: boolean }
      ? boolean
      : boolean | undefined
    : boolean
  : T extends { type: 'strings' }
    ? readonly Choice<T>[]
    : T extends { type: 'string' }
      ? Choice<T> | Absent<T>
      : T extends { type: 'integer' | 'number' }
        ? number | Absent<T>
        : never

type PositionalOf<T extends Positional> = T extends { many: true }
  ? readonly Choice<T>[]
  : T extends { required: true }
    ? Choice<T>
    : Choice<T> | undefined

/** The argument of `run`: every option and positional in camelCase, with the type that its declaration implies. */
export type ArgsOf<O extends OptionTable, P extends readonly Positional[]> = {
  readonly [K in keyof O & string as O[K] extends { type: 'refused' } ? never : Camel<K>]: ValueOf<O[K]>
} & { readonly [Q in P[number] as Camel<Q['name']>]: PositionalOf<Q> }

/** One table with the options of several. */
export type Together<O> = (O extends unknown ? (one: O) => void : never) extends (one: infer All) => void
  ? All
  : never

/** `agents-dir` to `agentsDir`, as the type `Camel` does. */
export function camelCase(flag: string): string {
  return flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** Whether the option is followed by a value. */
export function takesValue(option: Option): option is StringOption | NumberOption | ListOption {
  return option.type !== 'boolean' && option.type !== 'refused'
}

export const GLOBAL_OPTIONS = {
  json: { type: 'boolean', describe: 'print one line of JSON: the tool contract’s envelope' },
  quiet: { type: 'boolean', alias: 'q', describe: 'print results and errors only' },
  color: {
    type: 'boolean',
    negatable: true,
    describe: 'colour, even without a terminal; --no-color for none',
  },
  help: { type: 'boolean', alias: 'h', describe: 'show this help' },
} as const satisfies OptionTable

/** Tokens before `--`: only these can be options. */
function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

/** Whether a global switch is present, without parsing. Exact, because a value never begins with a dash. */
export function asksFor(argv: readonly string[], ...spellings: readonly string[]): boolean {
  return beforeDashes(argv).some(
    token => spellings.includes(token) || spellings.includes(token.replace(/=true$/, '')),
  )
}
