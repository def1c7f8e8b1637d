// The system calls that a program in a sandbox may not make, with their numbers on each processor (Linux, syscall_64.tbl and
// asm-generic/unistd.h), and the filter that denies them: classic BPF over `struct seccomp_data`
// (Documentation/userspace-api/seccomp_filter.rst). Everything else is allowed, and a call that is younger than this list is not there.

/** One instruction. Jumps count from the next one. */
export interface Instruction {
  readonly code: number
  readonly jt: number
  readonly jf: number
  readonly k: number
}

/** Codes of the instructions that a filter needs. */
export const BPF = { load: 0x20, and: 0x54, equals: 0x15, atLeast: 0x35, bits: 0x45, answer: 0x06 } as const

export const ANSWER = {
  allow: 0x7fff_0000,
  kill: 0x8000_0000,
  EPERM: 0x0005_0001,
  ENOSYS: 0x0005_0026,
} as const

/** `AUDIT_ARCH_…`: a program of another one would have other numbers. */
export const ARCHITECTURE: { readonly [P in Processor]: number } = { x64: 0xc000_003e, arm64: 0xc000_00b7 }

/** Offsets in `struct seccomp_data`, little-endian. */
const NUMBER = 0
const ARCH = 4
const ARGUMENTS = 16

/** The first number of the x32 ABI, which has the architecture of x86_64. */
const X32 = 0x4000_0000

/** The filter as the kernel reads it: 8 bytes an instruction. */
export function filterBytes(processor: Processor): Uint8Array {
  const program = filterFor(processor)
  const bytes = Buffer.alloc(program.length * 8)
  for (const [at, { code, jt, jf, k }] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8)
    bytes.writeUInt8(jt, at * 8 + 2)
    bytes.writeUInt8(jf, at * 8 + 3)
    bytes.writeUInt32LE(k, at * 8 + 4)
  }
  return bytes
}

export function filterFor(processor: Processor): readonly Instruction[] {
  return [
    load(ARCH),
    ...unless('equals', ARCHITECTURE[processor], [answer('kill')]),
    load(NUMBER),
    ...(processor === 'x64' ? when('atLeast', X32, [answer('kill')]) : []),
    ...when('atLeast', YOUNGEST + 1, [answer('ENOSYS')]),
    ...DENIED_CALLS.flatMap(call => blockOf(call, processor)),
    answer('allow'),
  ]
}

function blockOf({ numbers, answer: says, when: lists }: DeniedCall, processor: Processor): Instruction[] {
  const number = numbers[processor]
  if (number === undefined) return []
  if (lists === undefined) return when('equals', number, [answer(says)])
  // The number is no longer loaded after a test, so the block ends with an answer.
  const tests = lists.flatMap(list => tested(list, [answer(says)]))
  return when('equals', number, [...tests, answer('allow')])
}

/** `then` if all tests hold; else what follows it. */
function tested([first, ...others]: readonly ArgumentTest[], then: readonly Instruction[]): Instruction[] {
  if (first === undefined) return [...then]
  const inner = tested(others, then)
  const { argument, mask, is, others: isOthers } = first
  const loaded = load(ARGUMENTS + 8 * argument)
  if (is === 'bits') return [loaded, ...when('bits', mask, inner)]
  const compared = is.map((value, at): Instruction => {
    const left = is.length - at - 1
    // To `inner`, or over it.
    const hit = isOthers ? left + inner.length : left
    const miss = left > 0 ? 0 : isOthers ? 0 : inner.length
    return { code: BPF.equals, jt: short(hit), jf: short(miss), k: value }
  })
  return [loaded, { code: BPF.and, jt: 0, jf: 0, k: mask }, ...compared, ...inner]
}

function load(offset: number): Instruction {
  return { code: BPF.load, jt: 0, jf: 0, k: offset }
}

function answer(which: keyof typeof ANSWER): Instruction {
  return { code: BPF.answer, jt: 0, jf: 0, k: ANSWER[which] }
}

type Comparison = 'equals' | 'atLeast' | 'bits'

function when(how: Comparison, k: number, then: readonly Instruction[]): Instruction[] {
  return [{ code: BPF[how], jt: 0, jf: short(then.length), k }, ...then]
}

function unless(how: Comparison, k: number, then: readonly Instruction[]): Instruction[] {
  return [{ code: BPF[how], jt: short(then.length), jf: 0, k }, ...then]
}

/** A jump has 8 bits. */
function short(distance: number): number {
  if (distance > 0xff) throw new TypeError('a block of the filter is too long to jump over')
  return distance
}

export type Processor = 'x64' | 'arm64'

/** A test of one argument, of which the kernel reads the low 32 bits. */
export interface ArgumentTest {
  /** From 0. */
  readonly argument: number
  readonly mask: number
  /** The masked argument is one of these; `others`: is none of these; `bits`: has one of the bits of the mask. */
  readonly is: readonly number[] | 'bits'
  readonly others?: true
}

export interface DeniedCall {
  readonly name: string
  /** Undefined where a processor has no such call. */
  readonly numbers: { readonly [P in Processor]: number | undefined }
  /** ENOSYS where programs then go another way; they take EPERM for an answer. */
  readonly answer: 'EPERM' | 'ENOSYS'
  /** All tests of one of the lists; without it every call is denied. */
  readonly when: readonly (readonly ArgumentTest[])[] | undefined
}

/** The youngest call of either processor that this list was made with: removexattrat. */
export const YOUNGEST = 466

const ALL = 0xffff_ffff
const SETID = 0o6000
/** `CLONE_NEW…` without NEWTIME, whose bit is the number of a signal in `clone`. */
const NAMESPACES = 0x7e02_0000
const O_CREAT_OR_TMPFILE = 0o20000100
const [AF_UNIX, AF_INET, AF_INET6] = [1, 2, 10]
const SOCK_STREAM = 1
/** `SOCK_CLOEXEC` and `SOCK_NONBLOCK`, which are no part of the type. */
const SOCK_FLAGS = 0o2004000
const [TIOCSTI, TIOCLINUX] = [0x5412, 0x541c]
const [MAP_SHARED, MAP_SHARED_VALIDATE, MAP_TYPE] = [1, 3, 0xf]
const [MAP_ANONYMOUS, MAP_GROWSDOWN] = [0x20, 0x100]

const bits = (argument: number, mask: number): ArgumentTest => ({ argument, mask, is: 'bits' })
const mode = (argument: number): readonly (readonly ArgumentTest[])[] => [[bits(argument, SETID)]]
/** The mode counts only where a file is made. */
const modeOfNew = (flags: number) => [[bits(flags, O_CREAT_OR_TMPFILE), bits(flags + 1, SETID)]]

type Row = readonly [
  name: string,
  x64: number | undefined,
  arm64: number | undefined,
  when?: DeniedCall['when'],
]

const EPERM: readonly Row[] = [
  // Keys of the user, which outlive the call and are shared with the user's other programs.
  ['add_key', 248, 217],
  ['request_key', 249, 218],
  ['keyctl', 250, 219],
  // Parts of the kernel whose faults have led out of sandboxes.
  ['bpf', 321, 280],
  ['perf_event_open', 298, 241],
  ['userfaultfd', 323, 282],
  ['io_uring_setup', 425, 425],
  ['io_uring_enter', 426, 426],
  ['io_uring_register', 427, 427],
  ['modify_ldt', 154, undefined],
  ['uselib', 134, undefined],
  // Other processes, and their descriptors.
  ['ptrace', 101, 117],
  ['process_vm_readv', 310, 270],
  ['process_vm_writev', 311, 271],
  ['process_madvise', 440, 440],
  ['pidfd_getfd', 438, 438],
  ['kcmp', 312, 272],
  // Mounts and namespaces.
  ['mount', 165, 40],
  ['umount2', 166, 39],
  ['pivot_root', 155, 41],
  ['chroot', 161, 51],
  ['mount_setattr', 442, 442],
  ['open_tree', 428, 428],
  ['move_mount', 429, 429],
  ['fsopen', 430, 430],
  ['fsconfig', 431, 431],
  ['fsmount', 432, 432],
  ['fspick', 433, 433],
  ['unshare', 272, 97],
  ['setns', 308, 268],
  ['clone', 56, 220, [[bits(0, NAMESPACES)]]],
  // Files by another way than their path.
  ['name_to_handle_at', 303, 264],
  ['open_by_handle_at', 304, 265],
  ['fanotify_init', 300, 262],
  // The machine.
  ['kexec_load', 246, 104],
  ['kexec_file_load', 320, 294],
  ['init_module', 175, 105],
  ['finit_module', 313, 273],
  ['delete_module', 176, 106],
  ['reboot', 169, 142],
  ['swapon', 167, 224],
  ['swapoff', 168, 225],
  ['acct', 163, 89],
  ['quotactl', 179, 60],
  ['quotactl_fd', 443, 443],
  ['syslog', 103, 116],
  ['iopl', 172, undefined],
  ['ioperm', 173, undefined],
  // Text that is put in where a person types.
  ['ioctl', 16, 29, [[{ argument: 1, mask: ALL, is: [TIOCSTI, TIOCLINUX] }]]],
  // Unix sockets lend the rights of whom they lead to, netlink and packets reach the host.
  ['socket', 41, 198, [[{ argument: 0, mask: ALL, is: [AF_INET, AF_INET6], others: true }]]],
  // The ends of a stream are connected for good. An end of another type can be connected to a socket with a path.
  [
    'socketpair',
    53,
    199,
    [
      [{ argument: 0, mask: ALL, is: [AF_UNIX], others: true }],
      [{ argument: 1, mask: ALL - SOCK_FLAGS, is: [SOCK_STREAM], others: true }],
    ],
  ],
  // Memory that no limit of a process counts.
  ['memfd_create', 319, 279],
  ['memfd_secret', 447, 447],
  ['shmget', 29, 194],
  [
    'mmap',
    9,
    222,
    [
      [{ argument: 3, mask: MAP_TYPE, is: [MAP_SHARED, MAP_SHARED_VALIDATE] }, bits(3, MAP_ANONYMOUS)],
      [bits(3, MAP_GROWSDOWN)],
    ],
  ],
  // A file in a granted folder that lends the rights of its owner to other users of the host.
  ['chmod', 90, undefined, mode(1)],
  ['fchmod', 91, 52, mode(1)],
  ['fchmodat', 268, 53, mode(2)],
  ['fchmodat2', 452, 452, mode(2)],
  ['mknod', 133, undefined, mode(1)],
  ['mknodat', 259, 33, mode(2)],
  ['mkdir', 83, undefined, mode(1)],
  ['mkdirat', 258, 34, mode(2)],
  ['creat', 85, undefined, mode(1)],
  ['open', 2, undefined, modeOfNew(1)],
  ['openat', 257, 56, modeOfNew(2)],
]

/** What these ask is in memory, where no filter can look: the older calls have to do. */
const ENOSYS: readonly Row[] = [
  ['clone3', 435, 435],
  ['openat2', 437, 437],
]

const rows = (of: readonly Row[], answer: DeniedCall['answer']): readonly DeniedCall[] =>
  of.map(([name, x64, arm64, when]) => ({ name, numbers: { x64, arm64 }, answer, when }))

export const DENIED_CALLS: readonly DeniedCall[] = [...rows(EPERM, 'EPERM'), ...rows(ENOSYS, 'ENOSYS')]
