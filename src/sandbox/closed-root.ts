// The root of a sandbox: what every program finds there, and nothing of the user. Looked up once a process.
import { entryOrNothing } from '../io/read/entry.ts'
import { linkAt, realPathNow } from '../io/read/real-path.ts'
import { isWithin } from './never.ts'

/** Links into /usr, or folders of their own on older systems. */
const BESIDE_USR = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/** What programs need in order to start, to find certificates and to tell the time; no account, no host name, no key. */
const OF_ETC = [
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'ssl/certs',
  'ssl/openssl.cnf',
  'pki/ca-trust/extracted',
  'ca-certificates',
  'ca-certificates.conf',
  'nsswitch.conf',
  'localtime',
  'alternatives',
].map(name => `/etc/${name}`)

/** Of /usr, what an administrator writes: it may hold passwords. */
const OF_ADMINISTRATORS = '/usr/local/etc'

const DEVICES = ['null', 'full', 'random', 'urandom'].map(name => `/dev/${name}`)

const MB = 1024 * 1024
const TMP_MB = 256
const SHM_MB = 64

export interface ClosedRoot {
  /** Arguments of bwrap. */
  readonly args: readonly string[]
  /** Whether a program at this path is there without being bound. */
  shows(path: string): boolean
}

/** @param hidden places that are not shown although they are below /usr, such as install roots */
export function closedRoot(hidden: readonly string[]): ClosedRoot {
  const covered = [OF_ADMINISTRATORS, ...hidden].filter(path => isWithin(path, '/usr') && isThere(path))
  const shown = ['/usr', ...BESIDE_USR.filter(path => entryOrNothing(path) !== undefined)]
  return {
    args: [
      ...['--ro-bind', '/usr', '/usr'],
      ...BESIDE_USR.flatMap(besideUsr),
      ...OF_ETC.filter(path => realPathNow(path) !== undefined).flatMap(path => ['--ro-bind', path, path]),
      ...covered.flatMap(path =>
        isFolder(path) ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path],
      ),
      ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
      // Not bwrap's own: it has /dev/zero, of which shared memory without bound can be made, and terminals.
      ...['--tmpfs', '/dev', ...DEVICES.flatMap(path => ['--dev-bind', path, path])],
      ...['--symlink', '/proc/self/fd', '/dev/fd'],
      ...['stdin', 'stdout', 'stderr'].flatMap((name, fd) => [
        '--symlink',
        `/proc/self/fd/${fd}`,
        `/dev/${name}`,
      ]),
      ...['--perms', '1777', '--size', String(SHM_MB * MB), '--tmpfs', '/dev/shm'],
      ...['--perms', '1777', '--size', String(TMP_MB * MB), '--tmpfs', '/tmp'],
    ],
    shows: path =>
      shown.some(folder => isWithin(path, folder)) && !covered.some(folder => isWithin(path, folder)),
  }
}

function besideUsr(path: string): readonly string[] {
  const link = linkAt(path)
  if (link !== undefined) return ['--symlink', link, path]
  return isFolder(path) ? ['--ro-bind', path, path] : []
}

/** What is behind a link is a place of its own. */
function isThere(path: string): boolean {
  return entryOrNothing(path)?.isSymbolicLink() === false
}

function isFolder(path: string): boolean {
  return entryOrNothing(path)?.isDirectory() === true
}
