// What a grant opens, and why a program is not started: each refusal beside a grant that is in order.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { closedRoot, mountsOf } from '../../src/sandbox/mounts.ts'
import { isWithin, neverGranted, OWN_FOLDER, resolvedPlaces } from '../../src/sandbox/never-granted.ts'
import { profileOf, SANDBOX_LIMITS } from '../../src/sandbox/profile.ts'
import { callHeld, requiredSandbox } from '../support/held-call.ts'
import { IS_ROOT, NOBODY } from '../support/run.ts'
import { runs } from '../support/runs.ts'
import { grantable } from '../support/sandbox-folder.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'

const folder = grantable('grants')
const SH = '/bin/sh'
const skip = process.platform === 'linux' ? false : 'there is a sandbox for Linux only'

/** As this user. */
const HERE = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }

function mounted(
  { reads = [], writes = [] }: { readonly reads?: readonly string[]; readonly writes?: readonly string[] },
  { kept = [], programs = [], command = SH, as = HERE } = {} as {
    kept?: readonly string[]
    programs?: readonly string[]
    command?: string
    as?: typeof HERE
  },
) {
  const profile = { reads, writes, hosts: [], limits: SANDBOX_LIMITS }
  const rules = {
    root: closedRoot([]),
    as,
    neverGranted: neverGranted({}),
    deciding: resolvedPlaces(kept),
    programs,
  }
  return mountsOf(profile, command, rules)
}

function refusal(...given: Parameters<typeof mounted>): string {
  const made = mounted(...given)
  assert.ok('problem' in made, JSON.stringify(made))
  return made.problem
}

function hintOf(...given: Parameters<typeof mounted>): string {
  const made = mounted(...given)
  assert.ok('problem' in made, JSON.stringify(made))
  return made.hint
}

function paths(...given: Parameters<typeof mounted>): string[] {
  const made = mounted(...given)
  assert.ok(!('problem' in made), 'problem' in made ? made.problem : '')
  return made.mounts.map(({ path, isWritable }) => `${path}${isWritable ? ' rw' : ''}`)
}

describe('the profile of a tool', () => {
  const of = (...capabilities: string[]) => profileOf({ capabilities }, '/home/ada')
  test('what it lists: fs and fs_ro are read, fs_rw is written too', () => {
    const { reads, writes, hosts } = of(
      'fs:/a/',
      'fs_ro:~/b',
      'fs_rw://c//d',
      'net:h.example',
      'exec:/bin/sh',
      'time',
    )
    assert.deepEqual([reads, writes, hosts], [['/a', '/home/ada/b'], ['/c/d'], ['h.example']])
  })
  test('a folder of both kinds is written, and none twice', () => {
    assert.deepEqual(of('fs_ro:/a', 'fs:/a', 'fs_rw:/a').reads, [])
  })
  test('without a folder it is the whole disk', () => {
    assert.deepEqual(of('fs').reads, ['/'])
  })
  test('a tool may lower its memory, and not raise it', () => {
    const memory = (own: number | undefined, host?: number) =>
      profileOf({ capabilities: [], rlp: { memoryMb: own } }, '/', host).limits.memoryMb
    assert.deepEqual(
      [memory(undefined), memory(256), memory(4096), memory(4096, 8192)],
      [2048, 256, 2048, 4096],
    )
  })
  test('nothing else: no capability of another family opens a file', () => {
    const other = fc.constantFrom('time', 'model', 'secrets:a', 'kb_read', 'exec:/bin/sh', 'net:a.example')
    fc.assert(
      fc.property(fc.array(other), capabilities => {
        const { reads, writes } = of(...capabilities)
        assert.deepEqual([reads, writes], [[], []])
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('a grant', { skip }, () => {
  test('in order: mounted as it is, the shallower first', () => {
    const at = folder('order')
    mkdirSync(join(at, 'in'))
    writeFileSync(join(at, 'file'), '')
    assert.deepEqual(paths({ reads: [at], writes: [join(at, 'in')] }), [at, `${join(at, 'in')} rw`])
    assert.deepEqual(paths({ reads: [join(at, 'file')] }), [join(at, 'file')])
  })
  for (const path of ['/', '/proc', '/sys', '/dev', '/run', '/dev/shm', '/run/user/1', '/proc/self'])
    test(`${path}: to no program`, () => {
      assert.match(refusal({ reads: [path] }), /granted to no program/)
    })
  test('that is not there, is a link, or is reached by one', () => {
    const at = folder('links')
    mkdirSync(join(at, 'real/in'), { recursive: true })
    symlinkSync(join(at, 'real'), join(at, 'link'))
    assert.match(refusal({ reads: [join(at, 'none')] }), /is not there/)
    assert.match(refusal({ reads: [join(at, 'link')] }), /is a link/)
    assert.match(refusal({ reads: [join(at, 'link/in')] }), /is reached by a link/)
    const made = mounted({ reads: [join(at, 'link')] })
    assert.ok('problem' in made && made.hint.includes(join(at, 'real')), 'the hint names where it leads')
    assert.deepEqual(paths({ reads: [join(at, 'real/in')] }), [join(at, 'real/in')])
  })
  test('below a folder that others may write', () => {
    const at = folder('loose')
    mkdirSync(join(at, 'open/in'), { recursive: true })
    assert.deepEqual(paths({ reads: [join(at, 'open/in')] }).length, 1)
    chmodSync(join(at, 'open'), 0o777)
    assert.match(refusal({ reads: [join(at, 'open/in')] }), /can be replaced by others/)
    // In a sticky folder only the owner of an entry replaces it.
    chmodSync(join(at, 'open'), 0o1777)
    assert.deepEqual(paths({ reads: [join(at, 'open/in')] }).length, 1)
    if (!IS_ROOT) return
    chownSync(join(at, 'open/in'), NOBODY, NOBODY)
    assert.match(refusal({ reads: [join(at, 'open/in')] }), /can be replaced by others/)
  })
  test('with a socket or a FIFO in it', async () => {
    const at = folder('special')
    mkdirSync(join(at, 'a/b'), { recursive: true })
    assert.equal(paths({ reads: [at] }).length, 1)
    assert.equal(spawnSync('mkfifo', [join(at, 'a/b/fifo')]).status, 0)
    assert.match(refusal({ reads: [at] }), /holds a FIFO, ".*a\/b\/fifo"/)
    rmSync(join(at, 'a/b/fifo'))
    const server = createServer()
    await new Promise<void>(resolve => server.listen(join(at, 'a/socket'), resolve))
    assert.match(refusal({ reads: [at] }), /holds a socket/)
    server.close()
  })
  test('with keys in it: they are covered; in them: none', () => {
    const at = folder('kept')
    const kept = [join(at, 'keys'), join(at, 'netrc'), join(at, 'none')]
    mkdirSync(join(at, 'keys'))
    writeFileSync(join(at, 'netrc'), 'x')
    const made = mounted({ reads: [at] }, { kept })
    assert.ok(!('problem' in made))
    assert.deepEqual(made.covers, [
      { path: join(at, 'keys'), isFolder: true },
      { path: join(at, 'netrc'), isFolder: false },
    ])
    assert.match(refusal({ reads: [join(at, 'keys')] }, { kept }), /which is granted to no program/)
    assert.match(refusal({ writes: [at] }, { kept }), /may not be written: it holds/)
  })
  test('with a link to keys in it: what it leads to is covered', () => {
    const at = folder('leads')
    mkdirSync(join(at, 'dotfiles/ssh'), { recursive: true })
    symlinkSync(join(at, 'dotfiles/ssh'), join(at, '.ssh'))
    const made = mounted({ reads: [at] }, { kept: [join(at, '.ssh')] })
    assert.ok(!('problem' in made))
    assert.deepEqual(made.covers, [{ path: join(at, 'dotfiles/ssh'), isFolder: true }])
  })
  test('to write: not a home, nor where programs are', () => {
    const at = folder('programs')
    writeFileSync(join(at, 'tool'), '')
    assert.deepEqual(paths({ writes: [at] }), [`${at} rw`])
    assert.match(refusal({ writes: [at] }, { programs: [join(at, 'tool')] }), /holds ".*tool", which is run/)
    assert.match(refusal({ writes: [homedir()] }), /is your home/)
  })
  test('to write: not the folder of rlp itself, nor one in it', () => {
    assert.equal(paths({ reads: [OWN_FOLDER] }).length, 1)
    for (const path of [OWN_FOLDER, join(OWN_FOLDER, 'kinds')])
      assert.match(refusal({ writes: [path] }), /may not be written: it is in the folder of rlp itself/)
  })
  test('to write, with a repository or start files in it: said', () => {
    const at = folder('repository')
    const starts = () => {
      const made = mounted({ writes: [at] })
      return !('problem' in made) && made.startsPrograms
    }
    assert.equal(starts(), false)
    mkdirSync(join(at, 'work/.git'), { recursive: true })
    assert.equal(starts(), true)
    rmSync(join(at, 'work'), { recursive: true })
    writeFileSync(join(at, '.bashrc'), '')
    assert.equal(starts(), true)
  })
  test('for another user: only what that user may reach and write', {
    skip: !IS_ROOT && 'needs root',
  }, () => {
    const at = folder('others')
    const as = { uid: 61184, gid: 61184 }
    assert.equal(paths({ reads: [at] }, { as }).length, 1)
    assert.match(refusal({ writes: [at] }, { as }), /may not be written by the user 61184/)
    chmodSync(at, 0o1777)
    assert.equal(paths({ writes: [at] }, { as }).length, 1)
    chmodSync(at, 0o700)
    assert.match(refusal({ reads: [at] }, { as }), /may not be read by the user 61184/)
    mkdirSync(join(at, 'in'), { mode: 0o777 })
    assert.match(refusal({ reads: [join(at, 'in')] }, { as }), /cannot be reached by the user 61184/)
    const hint = /name one that may as sandbox_user in config\.toml, under \[security\]/
    assert.match(hintOf({ reads: [join(at, 'in')] }, { as }), hint)
    assert.match(hintOf({ writes: [at] }, { as }), hint)
    // Where the user is not in the way, it is not named.
    assert.equal(hintOf({ reads: [join(folder('nothing'), 'a')] }), 'Make it')
  })
})

describe('the program', { skip }, () => {
  test('of the system is there; another is mounted as one file', () => {
    const at = folder('own')
    const program = join(at, 'tool')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    const of = (command: string) => {
      const made = mounted({}, { command })
      return 'problem' in made ? made.problem : made.programs[0]?.path
    }
    assert.equal(of('/usr/bin/env'), undefined)
    assert.equal(of(program), program)
    symlinkSync(program, join(at, 'link'))
    assert.equal(of(join(at, 'link')), join(at, 'link'))
    chmodSync(program, 0o777)
    assert.match(String(of(program)), /may be written by others/)
    assert.match(String(of(join(at, 'none'))), /is not there/)
  })
  test('a script finds its interpreter, or is refused', () => {
    const at = folder('interpreter')
    const program = join(at, 'tool')
    const of = (line: string, reads: readonly string[] = []) => {
      writeFileSync(program, `${line}\n`, { mode: 0o755 })
      const made = mounted({ reads }, { command: program })
      return 'problem' in made ? made.problem : 'mounted'
    }
    mkdirSync(join(at, 'bin'))
    symlinkSync('/usr/bin/env', join(at, 'bin/python'))
    for (const line of ['#!/bin/sh', '#! /usr/bin/env node', '#!/usr/bin/python3 -I', 'no script'])
      assert.equal(of(line), 'mounted', line)
    assert.match(of(`#!${at}/bin/python`), /is a script for ".*\/bin\/python", which it would not find/)
    assert.match(of('#!/none/such'), /is a script for "\/none\/such"/)
    assert.equal(of(`#!${at}/bin/python`, [join(at, 'bin')]), 'mounted')
  })
  test('is not in a folder that it may write', () => {
    const at = folder('written')
    const program = join(at, 'tool')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    assert.match(refusal({ writes: [at] }, { command: program }), /in a folder that it may write/)
  })
})

describe('what was looked at is what is mounted', { skip: NO_SANDBOX_HERE }, () => {
  for (const what of ['a granted folder', 'the folder above it'] as const)
    test(`${what} that is exchanged between the look and the start ends the call`, async () => {
      const at = folder('swapped')
      const granted = join(at, 'above/granted')
      mkdirSync(granted, { recursive: true })
      writeFileSync(join(granted, 'note'), 'mine')
      mkdirSync(join(at, 'other/granted'), { recursive: true })
      writeFileSync(join(at, 'other/granted/note'), 'of another')
      const read = { command: '/bin/cat', args: [join(granted, 'note')] }
      const { envelope } = await callHeld(read, { reads: [granted] })
      assert.deepEqual(envelope.ok && envelope.result, { text: 'mine' })
      const sandbox = await requiredSandbox()
      const swapping = {
        ...sandbox,
        hold(given: Parameters<typeof sandbox.hold>[0]) {
          const held = sandbox.hold(given)
          const moved = what === 'a granted folder' ? granted : join(at, 'above')
          renameSync(moved, `${moved}.old`)
          renameSync(what === 'a granted folder' ? join(at, 'other/granted') : join(at, 'other'), moved)
          return held
        },
      }
      const { envelope: after } = await callHeld(read, { reads: [granted], sandbox: swapping })
      assert.deepEqual(
        [
          after.ok,
          !after.ok && after['reason'],
          !after.ok && /was exchanged while the call began/.test(after.message),
        ],
        [false, 'sandbox_failed', true],
      )
    })
})

test('a program that is replaced by renaming the folder above it ends the call', {
  skip: NO_SANDBOX_HERE,
}, async () => {
  const at = folder('renamed')
  for (const name of ['bin', 'other']) {
    mkdirSync(join(at, name))
    writeFileSync(join(at, name, 'tool'), `#!/bin/sh\necho ${name}\n`, { mode: 0o755 })
  }
  const program = { command: join(at, 'bin/tool'), args: [] }
  const sandbox = await requiredSandbox()
  const { envelope } = await callHeld(program)
  assert.deepEqual(envelope.ok && envelope.result, { text: 'bin\n' })
  const renaming = {
    ...sandbox,
    hold(given: Parameters<typeof sandbox.hold>[0]) {
      const held = sandbox.hold(given)
      renameSync(join(at, 'bin'), join(at, 'was'))
      renameSync(join(at, 'other'), join(at, 'bin'))
      return held
    },
  }
  const { envelope: after } = await callHeld(program, { sandbox: renaming })
  assert.deepEqual([after.ok, !after.ok && after['reason']], [false, 'sandbox_failed'])
})

test('nothing is mounted but what is listed', { skip }, () => {
  const at = folder('property')
  const names = ['a', 'b', 'a/c', 'b/d', 'a/c/e']
  for (const name of names) mkdirSync(join(at, name), { recursive: true })
  const some = fc.subarray(names).map(list => list.map(name => join(at, name)))
  fc.assert(
    fc.property(some, some, some, (reads, writes, kept) => {
      const made = mounted({ reads: reads.filter(path => !writes.includes(path)), writes }, { kept })
      if ('problem' in made) return
      for (const { path, isWritable } of made.mounts) {
        assert.ok(isWritable ? writes.includes(path) : reads.includes(path))
        assert.ok(!kept.some(one => isWithin(path, one)))
      }
      const reached = kept.filter(one => made.mounts.some(({ path }) => isWithin(one, path)))
      assert.deepEqual(made.covers.map(({ path }) => path).sort(), reached.sort())
    }),
    { numRuns: runs(1000), seed: 1 },
  )
})
