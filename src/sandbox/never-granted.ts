// The places that no program reaches, whatever it is granted (docs/sandbox.md): those that decide about a call or hold a secret of it,
// folders of the system, and files that are run later by themselves.
import { dirname, join, resolve } from 'node:path'
import { isUrl, pathOfUrl } from '../io/file-url.ts'
import { namedPath, runloopHome, SYSTEM_CHANNEL_STATES, SYSTEM_FOLDER, userHome } from '../io/home.ts'
import { leadsTo, realPathNow } from '../io/read/real-path.ts'
import { SYSTEM_ROOTS } from '../io/root/roots.ts'
import { LOCK_FILE } from '../model/lock.ts'
import { own } from '../model/own.ts'
import { isSystemError } from '../model/system-error.ts'
import { readWords } from '../text/shell-words.ts'

/** The options of a command or of a function of the library, whole, as they were given. */
export type ToldOptions = object

/** What this process was told, and the world in which its paths begin. */
export interface DecidingHost {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly told: readonly ToldOptions[]
}

/** Options that name a file or folder which decides about a call, records it, or holds a secret of it. */
export const DECIDING_OPTIONS = [
  ...['trustPolicy', 'attestations', 'lock', 'home', 'state', 'root'],
  ...['audit', 'trace', 'tokenFile'],
] as const

/** In the home of the user: secrets of other programs. */
const OF_USER = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.kube',
  '.docker',
  '.azure',
  '.config/containers',
  '.config/gh',
  '.config/gcloud',
  '.config/runloop',
  '.netrc',
  '.git-credentials',
  '.password-store',
]

/** Variables that name other places for these. Some hold several, divided by colons. */
const NAMED_BY = [
  'GNUPGHOME',
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'KUBECONFIG',
  'DOCKER_CONFIG',
  'AZURE_CONFIG_DIR',
  'REGISTRY_AUTH_FILE',
  'GH_CONFIG_DIR',
  'CLOUDSDK_CONFIG',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'NETRC',
  'PASSWORD_STORE_DIR',
]

/** The file that this code is in. Bundled as CommonJS by others it does not know its own, and Node stands for it. */
export const OWN_FILE: string = (import.meta.filename as string | undefined) ?? process.execPath
/** The folder of rlp itself: what a program writes into it runs later as this user. */
export const OWN_FOLDER: string = dirname(OWN_FILE)
/** The compiled code that the command keeps beside itself, and runs at the next start. */
const COMPILED = join(OWN_FOLDER, 'compiled')

/** Absolute paths, as they were given; links are not followed. */
export function decidingPlaces({ env, cwd, told }: DecidingHost): readonly string[] {
  return [
    // The one that the caller names, the one of this process, and the usual one: there may be keys in each.
    ...[runloopHome(env), runloopHome(), runloopHome({})],
    ...[SYSTEM_FOLDER, SYSTEM_CHANNEL_STATES, ...SYSTEM_ROOTS, COMPILED],
    ...OF_USER.map(name => join(userHome(), name)),
    ...NAMED_BY.flatMap(name => own(env, name)?.split(':') ?? []).filter(path => path.startsWith('/')),
    ...told.flatMap(one => toldPlaces(one, cwd)),
  ]
}

function toldPlaces(told: ToldOptions, cwd: string): readonly string[] {
  const said = (name: string): unknown => own(told as Readonly<Record<string, unknown>>, name)
  const secrets = said('secretsFrom')
  return [
    ...DECIDING_OPTIONS.flatMap(name => pathsIn(said(name), cwd)),
    ...(said('locked') === true ? [resolve(cwd, LOCK_FILE)] : []),
    ...(typeof secrets === 'string' ? secretPlaces(secrets, cwd) : []),
  ]
}

/** A path or a `file:` url, or several. What was handed in itself, such as the text of a policy, is at no place. */
function pathsIn(value: unknown, cwd: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(one => pathsIn(one, cwd))
  if (isUrl(value)) return [pathOfUrl(value, 'use')]
  if (typeof value !== 'string' || value === '' || /[\r\n]/.test(value)) return []
  if (/^file:\/\//i.test(value)) return [pathOfUrl(value, 'use')]
  // A command means the home by `~/`, and the library a folder of that name.
  return [...new Set([namedPath(value, cwd), resolve(cwd, value)])]
}

/** Of a source of secrets: its folder, or its program and the files among the program's arguments. */
function secretPlaces(source: string, cwd: string): readonly string[] {
  const [, kind, rest = ''] = /^(dir|cmd):(.*)$/s.exec(source) ?? []
  if (kind === 'dir') return pathsIn(rest, cwd)
  const words = kind === 'cmd' ? readWords(rest) : { value: [] }
  return 'problem' in words
    ? []
    : words.value.filter(word => word.includes('/')).map(word => resolve(cwd, word))
}

export interface ResolvedPlaces {
  /** Each path, and where it leads: what is mounted is never a link, so the keys behind one have another path there. */
  readonly places: readonly string[]
  /** The first whose way cannot be looked at, and the system's code for it. What is granted could lead there. */
  readonly unknown: { readonly path: string; readonly code: string } | undefined
}

/** Follows the links as they are now: a place may have been moved since the last start. */
export function resolvedPlaces(paths: readonly string[]): ResolvedPlaces {
  const places = new Set<string>()
  let unknown: ResolvedPlaces['unknown']
  for (const path of paths) {
    places.add(path)
    try {
      places.add(leadsTo(path))
    } catch (error) {
      if (!isSystemError(error)) throw error
      unknown ??= { path, code: error.code ?? 'EIO' }
    }
  }
  return { places: [...places], unknown }
}

/** Sockets of services, and what the kernel says of other processes and of the machine. A grant of one of them is refused. */
export function neverGranted(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const runtime = env['XDG_RUNTIME_DIR']
  return ['/run', '/var/run', '/proc', '/sys', '/dev', ...(runtime?.startsWith('/') ? [runtime] : [])]
}

/** Each path, and where it leads. */
export function withTargets(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap(path => [path, realPathNow(path) ?? path]))]
}

/** What the user's shell, desktop or service manager runs by itself: a program that writes it runs later, outside of its sandbox. */
export const START_FILES: readonly string[] = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.inputrc',
  '.xinitrc',
  '.xprofile',
  '.xsession',
  '.vimrc',
  '.emacs',
  '.gitconfig',
  '.npmrc',
  '.config/autostart',
  '.config/fish',
  '.config/git',
  '.config/systemd',
  '.config/environment.d',
  '.config/nvim',
  '.local/bin',
  '.local/share/applications',
  '.local/share/systemd',
  '.local/share/dbus-1',
]

/** Names by which a repository is told to run programs: `.git/hooks`, `.git/config`. */
export const REPOSITORY = '.git'

/** Whether a path is another, or below it. */
export function isWithin(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`)
}
