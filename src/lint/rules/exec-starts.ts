// Finds out what a tool starts: the program, the code that it passes as an argument, and code that it downloads and runs. Downloaded code
// can change after the bundle was signed.
import type { ExecTransport } from '../../model/transports/exec.ts'
import { type MeantCall, meantCall } from '../../tools/command-oddities.ts'
import { type InlineCode, inlineCode } from '../../tools/program.ts'
import { once } from './once.ts'

export interface ExecStart extends MeantCall {
  readonly inline: InlineCode | undefined
}

export const startOf = once((transport: ExecTransport): ExecStart => {
  const { transport: meant, placeOf } = meantCall(transport)
  return { transport: meant, placeOf, inline: inlineCode(meant) }
})

/** Code that is fetched when a tool is called. */
interface Fetched {
  /** A package, an image, a url. */
  readonly what: string
  /** How to name a version that never changes. */
  readonly pin: string
}

type Launcher = (args: readonly string[]) => Fetched | undefined

/** Undefined if nothing is fetched, or only a pinned version. */
export function fetchedBy(name: string, args: readonly string[]): Fetched | undefined {
  return LAUNCHERS.get(name)?.(args)
}

const LAUNCHERS: ReadonlyMap<string, Launcher> = new Map<string, Launcher>([
  ['npx', fromNpm],
  ['pnpx', fromNpm],
  ['bunx', fromNpm],
  ['npm', after(['exec', 'x'], fromNpm)],
  ['pnpm', after(['dlx'], fromNpm)],
  ['yarn', after(['dlx'], fromNpm)],
  ['bun', after(['x'], fromNpm)],
  ['uvx', fromPypi],
  ['uv', after(['tool'], after(['run'], fromPypi))],
  ['pipx', after(['run'], fromPypi)],
  ['docker', after(['run', 'create'], image)],
  ['podman', after(['run', 'create'], image)],
  ['nerdctl', after(['run', 'create'], image)],
  ['deno', after(['run', 'serve'], fromUrl)],
  ['go', after(['run'], goModule)],
])

/** The launcher for the arguments after one of these words; flags may come before it. */
function after(words: readonly string[], launcher: Launcher): Launcher {
  return args => {
    const at = args.findIndex(arg => !arg.startsWith('-'))
    return words.includes(args[at] ?? '') ? launcher(args.slice(at + 1)) : undefined
  }
}

const EXACT = /^v?[0-9]+\.[0-9]+(?:\.[0-9]+)?(?:[-+.][0-9A-Za-z.+-]+)?$/
const COMMIT = /@[0-9a-f]{40}(?:#.*)?$/

function fromNpm(args: readonly string[]): Fetched | undefined {
  // Without a network nothing is fetched.
  if (args.some(arg => ['--no', '--no-install', '--offline'].includes(arg))) return undefined
  const named = flagValue(args, ['-p', '--package']) ?? firstOf(args, ['-c', '--call', '-w', '--workspace'])
  if (named === undefined || /^(?:\.|\/|file:)/.test(named)) return undefined
  const version = named.slice(named.indexOf('@', 1) + 1)
  const isExact = named.indexOf('@', 1) !== -1 && /^[0-9]+\.[0-9]+\.[0-9]+(?:[-+].*)?$/.test(version)
  const isCommit = /^(?:git|github:|https:).*#[0-9a-f]{40}$/.test(named)
  return isExact || isCommit
    ? undefined
    : { what: named, pin: 'Name one exact version, for example package@1.2.3' }
}

function fromPypi(args: readonly string[]): Fetched | undefined {
  if (args.includes('--offline')) return undefined
  const valued = [
    '-p',
    '--python',
    '--with',
    '--index',
    '--index-url',
    '-i',
    '--extra-index-url',
    '-w',
    '--pip-args',
  ]
  const named = flagValue(args, ['--from', '--spec']) ?? firstOf(args, valued)
  if (named === undefined || /^(?:\.|\/|file:)/.test(named)) return undefined
  if (named.includes('://'))
    return COMMIT.test(named)
      ? undefined
      : { what: named, pin: 'Name the full commit: git+https://…@<40 hex digits>' }
  const [, version = ''] = /(?:===?|@)([^=@]+)$/.exec(named) ?? []
  return EXACT.test(version)
    ? undefined
    : { what: named, pin: 'Name one exact version, for example package==1.2.3' }
}

/** Flags of `run` that are followed by a value, as far as tools use them. */
const IMAGE_FLAGS =
  '-v --volume --mount -e --env --env-file --name --network --net -p --publish -w --workdir -u --user --entrypoint --platform -m --memory --cpus --label -l --add-host --cap-drop --cap-add --security-opt --tmpfs --pull -h --hostname --ulimit --gpus --runtime'.split(
    ' ',
  )

function image(args: readonly string[]): Fetched | undefined {
  if (args.some(arg => /@sha256:[0-9a-f]{64}$/.test(arg))) return undefined
  const named = firstOf(args, IMAGE_FLAGS)
  return named === undefined
    ? undefined
    : { what: named, pin: 'Name the image by its content: image@sha256:<64 hex digits>' }
}

function fromUrl(args: readonly string[]): Fetched | undefined {
  const named = firstOf(args, ['-c', '--config', '--import-map', '--lock', '-L', '--log-level'])
  if (named === undefined || !/^(?:https?:|npm:|jsr:)/.test(named)) return undefined
  const version = named.slice(named.lastIndexOf('@') + 1).split('/')[0] ?? ''
  const isExact = !named.startsWith('http') && /^[0-9]+\.[0-9]+\.[0-9]+/.test(version)
  return isExact
    ? undefined
    : { what: named, pin: 'Put the script into the host’s packages and name its path' }
}

function goModule(args: readonly string[]): Fetched | undefined {
  const named = firstOf(args, ['-C', '-mod', '-modfile', '-tags', '-exec'])
  const version = /@([^@]+)$/.exec(named ?? '')?.[1]
  if (named === undefined || version === undefined || /^v[0-9]+\.[0-9]+\.[0-9]+/.test(version))
    return undefined
  return { what: named, pin: 'Name one exact version, for example module@v1.2.3' }
}

/** `--from x` or `--from=x`. */
function flagValue(args: readonly string[], flags: readonly string[]): string | undefined {
  for (const [at, arg] of args.entries()) {
    if (flags.includes(arg)) return args[at + 1]
    const flag = flags.find(flag => arg.startsWith(`${flag}=`))
    if (flag !== undefined) return arg.slice(flag.length + 1)
  }
  return undefined
}

/** The first that is neither a flag nor the value of one. */
function firstOf(args: readonly string[], valued: readonly string[]): string | undefined {
  const at = args.findIndex(
    (arg, index) => !arg.startsWith('-') && !valued.includes(index === 0 ? '' : (args[index - 1] ?? '')),
  )
  return at === -1 ? undefined : args[at]
}

const SHELL_WORD =
  /^\s*(?:sudo\s+|env\s+|exec\s+)?(?:\/\S{0,80}\/)?(?:(?:ba|da|z|k|a|fi)?sh|python[0-9.]*|node|perl|ruby|php)\b/

/** `curl … | sh`, `sh <(curl …)`, `eval "$(curl …)"`: code that is fetched and run at once. */
export function pipedCode(code: string): string | undefined {
  const fetcher = /\b(?:curl|wget)\b/.exec(code)?.[0]
  if (fetcher === undefined) return undefined
  const stages = code.replaceAll('||', ';').split('|').slice(0, 1000)
  const fetching = stages.findIndex(stage => /\b(?:curl|wget)\b/.test(stage))
  const isPiped = stages.slice(fetching + 1).some(stage => SHELL_WORD.test(stage.slice(0, 200)))
  return isPiped || /(?:\$\(|<\(|`)\s{0,9}(?:curl|wget)\b/.test(code) ? fetcher : undefined
}
