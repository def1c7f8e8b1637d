// Folders of the system that no grant opens, and files that are run later by themselves (docs/sandbox.md).

import { realPathNow } from '../io/read/real-path.ts'

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
