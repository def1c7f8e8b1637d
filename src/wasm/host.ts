// An import of a wasm agent → whether a runtime offers it, and the grant that it needs: the functions of the existing runtime's module
// `runloop` (crates/runtime, hostcalls) and of WASI preview 1.
import type { Family } from '../model/policy.ts'
import { CAPABILITY_FAMILIES } from '../policy/families/index.ts'
import type { WasmImport } from './read.ts'

/** Functions of module `runloop`, each with the family that the runtime checks when it is called. */
const RUNLOOP: ReadonlyMap<string, Family | undefined> = new Map([
  ...['notify_ready', 'mailbox_recv', 'mailbox_peek_meta'].map(name => [name, undefined] as const),
  ...CAPABILITY_FAMILIES.flatMap(({ family, imports }) =>
    imports.runloop.map(name => [name, family] as const),
  ),
])

const PREVIEW1: ReadonlySet<string> = new Set(
  `args_get args_sizes_get clock_res_get clock_time_get environ_get environ_sizes_get fd_advise fd_allocate fd_close fd_datasync
  fd_fdstat_get fd_fdstat_set_flags fd_fdstat_set_rights fd_filestat_get fd_filestat_set_size fd_filestat_set_times fd_pread
  fd_prestat_dir_name fd_prestat_get fd_pwrite fd_read fd_readdir fd_renumber fd_seek fd_sync fd_tell fd_write
  path_create_directory path_filestat_get path_filestat_set_times path_link path_open path_readlink path_remove_directory
  path_rename path_symlink path_unlink_file poll_oneoff proc_exit proc_raise random_get sched_yield sock_accept sock_recv
  sock_send sock_shutdown`.split(/\s+/),
)

export const RUNLOOP_MODULE = 'runloop'
export const PREVIEW1_MODULE = 'wasi_snapshot_preview1'

/** WASI in its other forms: before preview 1, and with extensions. The runtimes of these agents do not offer them, others do. */
const WASI = /^(?:wasi_snapshot_preview1|wasi_unstable|wasix_(?:32|64)v1)$/

function isWasi(module: string): boolean {
  return WASI.test(module)
}

/** Whether the runtimes of wasm32-wasip1 agents link this import. */
export function isOffered({ module, name, kind }: WasmImport): boolean {
  if (kind !== 'function') return false
  return module === RUNLOOP_MODULE ? RUNLOOP.has(name) : module === PREVIEW1_MODULE && PREVIEW1.has(name)
}

/**
 * The grant that an import needs, if any. Files need none: every standard library links `path_open` and similar functions, and the
 * folders that the runtime opens beforehand limit them.
 */
export function familyOf({ module, name }: WasmImport): Family | undefined {
  if (module === RUNLOOP_MODULE) return RUNLOOP.get(name)
  if (!isWasi(module)) return undefined
  return CAPABILITY_FAMILIES.find(({ imports }) => imports.wasi?.test(name))?.family
}

/** A clock that standard libraries link even if the program never asks for the time. */
export function isLinkedClock(imported: WasmImport): boolean {
  return isWasi(imported.module) && familyOf(imported) === 'time'
}

/** Whether a call needs the module's exported memory. The host looks for it in every WASI call. */
export function usesMemory(imported: WasmImport): boolean {
  const { module, name } = imported
  return isWasi(module) || (module === RUNLOOP_MODULE && name !== 'notify_ready' && name !== 'time_now')
}
