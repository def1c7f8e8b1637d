// What ends a program that takes too much, or stays: memory of every kind, files, processes, time. Held alone where a control would hurt the
// machine; then a smaller one of the same kind works.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { callHeld } from '../support/held-call.ts'
import { missing } from '../support/needs.ts'
import { LATE } from '../support/runs.ts'
import { grantable } from '../support/sandbox-folder.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'

const folder = grantable('bounds')
const python = (code: string) => ({ command: '/usr/bin/python3', args: ['-c', code] })

describe('a program in a sandbox', { skip: NO_SANDBOX_HERE || missing('python3') }, () => {
  for (const [what, mb, most, skip] of [
    ['private memory', 100, 3000, false],
    ['private memory in small pieces', 100, 3000, LATE],
  ] as const)
    test(`${what}: ${mb} MB are there, ${most} are not`, { skip }, async () => {
      const code = (size: number) =>
        what === 'private memory'
          ? `x = bytearray(${size} << 20); print(len(x))`
          : `x = [bytearray(1 << 16) for _ in range(${size} << 4)]; print(len(x))`
      assert.equal((await callHeld(python(code(mb)))).envelope.ok, true)
      // Filling two thousand megabytes takes 20 s where the machine has other work.
      const { envelope } = await callHeld(python(code(most)), { timeoutMs: 120_000 })
      assert.deepEqual([envelope.ok, JSON.stringify(envelope).includes('MemoryError')], [false, true])
    })

  for (const [place, mb, most] of [
    ['/dev/shm', 32, 100],
    ['/tmp', 128, 300],
  ] as const)
    test(`${place}: ${mb} MB are there, ${most} are not`, async () => {
      const code = (size: number) => `
f = open('${place}/x', 'wb')
for _ in range(${size}): f.write(bytes(1 << 20))
f.close(); print(1)`
      assert.equal((await callHeld(python(code(mb)))).envelope.ok, true)
      const { envelope } = await callHeld(python(code(most)))
      assert.deepEqual([envelope.ok, /No space left/.test(JSON.stringify(envelope))], [false, true])
    })

  test('a file of 100 GB in a granted folder', async () => {
    const writable = folder('large')
    chmodSync(writable, 0o1777)
    // A file for each call: the second may be of another user, who may not write what the first has made.
    const code = (size: number) => `
import os
f = os.open('${writable}/${size}', os.O_CREAT | os.O_RDWR)
os.ftruncate(f, ${size}); print(1)`
    const most = 100 * 2 ** 30
    const grants = { writes: [writable] }
    assert.equal((await callHeld(python(code(2 ** 20)), grants)).envelope.ok, true)
    const { envelope } = await callHeld(python(code(most)), grants)
    assert.deepEqual([envelope.ok, /too large/i.test(JSON.stringify(envelope))], [false, true])
    assert.equal(statSync(join(writable, String(most))).size, 0)
  })

  test('processes: 50 are there, 128 are not', async () => {
    const code = (count: number) => `
import os, time
made = 0
try:
    for _ in range(${count}):
        if os.fork() == 0:
            time.sleep(20); os._exit(0)
        made += 1
except BlockingIOError: pass
print(made)`
    const made = async (count: number) => {
      const { envelope } = await callHeld(python(code(count)))
      return envelope.ok ? envelope.result : envelope
    }
    assert.equal(await made(50), 50)
    const most = await made(300)
    assert.ok(typeof most === 'number' && most > 100 && most < 128, String(most))
  })

  test('process 1, whose memory it may open, has the same bounds and no more rights', async () => {
    const code = `
import json
def of(pid):
    with open(f'/proc/{pid}/limits') as f: limits = f.read()
    with open(f'/proc/{pid}/status') as f: status = f.read()
    kept = [line for line in status.splitlines() if line.split(':')[0] in ('CapEff', 'CapBnd', 'NoNewPrivs', 'Seccomp', 'Uid')]
    return [limits, kept]
print(json.dumps([of(1) == of('self'), of(1)[1]]))`
    const { envelope } = await callHeld(python(code))
    assert.ok(envelope.ok, JSON.stringify(envelope))
    const [isSame, rights] = envelope.result as [boolean, readonly string[]]
    assert.equal(isSame, true)
    for (const right of [
      'CapEff:\t0000000000000000',
      'CapBnd:\t0000000000000000',
      'NoNewPrivs:\t1',
      'Seccomp:\t2',
    ])
      assert.ok(rights.includes(right), rights.join())
  })

  test('an endless loop ends with its time, and what it has started with it', async () => {
    await inTime('loop', async (writable, timeoutMs) => {
      const beats = join(writable, 'beats')
      const child = `(setsid sh -c 'while :; do echo x >> ${beats}; sleep 0.05; done' &) ; while :; do :; done`
      const { envelope } = await callHeld(
        { command: '/bin/sh', args: ['-c', child] },
        { writes: [writable], timeoutMs },
      )
      assert.deepEqual([envelope.ok, !envelope.ok && envelope.kind], [false, 'timeout'])
      if (!existsSync(beats)) return false
      await assertSilent(beats)
      return true
    })
  })

  test('a daemon does not outlive the call', async () => {
    const writable = folder('daemon')
    chmodSync(writable, 0o1777)
    const beats = join(writable, 'beats')
    // The program ends when the daemon has begun.
    const child = `(setsid sh -c 'exec >/dev/null 2>&1; while :; do echo x >> ${beats}; sleep 0.05; done' &); while [ ! -s ${beats} ]; do sleep 0.05; done; echo 1`
    const { envelope } = await callHeld({ command: '/bin/sh', args: ['-c', child] }, { writes: [writable] })
    assert.equal(envelope.ok, true, JSON.stringify(envelope))
    await assertSilent(beats)
  })

  test('a program that handles SIGTERM has its time to clean up', async () => {
    await inTime('cleans', async (writable, timeoutMs) => {
      const [begun, mark] = [join(writable, 'begun'), join(writable, 'cleaned')]
      const script = `trap 'echo x > ${mark}; exit 0' TERM; echo x > ${begun}; while :; do sleep 0.05; done`
      const { envelope } = await callHeld(
        { command: '/bin/sh', args: ['-c', script] },
        { writes: [writable], timeoutMs },
      )
      assert.deepEqual([envelope.ok, !envelope.ok && envelope.kind], [false, 'timeout'])
      if (!existsSync(begun)) return false
      assert.ok(existsSync(mark))
      return true
    })
  })
})

/** A busy machine may take longer to start a program than the time that it is given: then it is given more. */
async function inTime(
  name: string,
  tried: (writable: string, timeoutMs: number) => Promise<boolean>,
): Promise<void> {
  for (const timeoutMs of [600, 3000, 15_000]) {
    const writable = folder(`${name}-${timeoutMs}`)
    chmodSync(writable, 0o1777)
    if (await tried(writable, timeoutMs)) return
  }
  assert.fail('the program never began')
}

async function assertSilent(beats: string): Promise<void> {
  assert.ok(existsSync(beats), 'it had begun')
  const before = readFileSync(beats, 'utf8').length
  await wait(300)
  assert.equal(readFileSync(beats, 'utf8').length, before)
}
