// Answers and messages of strangers take memory in proportion to what is kept of them: measured in children with a bounded heap.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { LineTransport, linesIn, strictly } from '../../src/call/mcp-messages.ts'
import { normalizeResult } from '../../src/contract/normalize.ts'
import { GrowingBuffer, keepOutput } from '../../src/io/read/bounded.ts'
import { holdsMoreValues } from '../../src/json/count.ts'
import { MESSAGE_LIMITS } from '../../src/model/limits.ts'
import { answers, stage } from '../support/calling.ts'
import { compiled } from '../support/compile.ts'
import { temporary } from '../support/folder.ts'
import { execTool } from '../support/host.ts'

const run = promisify(execFile)
const folderFor = temporary('answer-bounds')

interface Peak {
  /** Megabytes of the whole process. */
  readonly peak: number
  readonly said: unknown
}

/** What is measured, by its name: its arguments → what it says. What one of them loads, the others do not. */
const WORKS = `
  const works = {
    /** How many pieces of a stream, and the bytes of each. */
    async keep(count, size) {
      const { PassThrough } = await import('node:stream')
      const { finished } = await import('node:stream/promises')
      const { keepOutput } = await import('./src/io/read/bounded.ts')
      const stream = new PassThrough()
      const kept = keepOutput(stream, 8 * 1024 * 1024)
      const done = finished(stream)
      for (let at = 0; at < count; at++) {
        if (!stream.write(Buffer.alloc(size, 'x'))) await new Promise(resolve => stream.once('drain', resolve))
      }
      stream.end()
      await done
      const { bytes, isCut } = kept()
      return [bytes, isCut]
    },
    /** A message of a client. */
    async message(begin, often, end) {
      const { strictly } = await import('./src/call/mcp-messages.ts')
      const { deserializeMessage } = await import('@modelcontextprotocol/sdk/shared/stdio.js')
      const line = begin + often.repeat(10_000_000 / often.length) + end
      try {
        strictly(deserializeMessage)(line)
        return 'read'
      } catch (error) {
        return error.message
      }
    },
    /** The answer of a server. */
    async body(port) {
      const { get } = await import('node:http')
      const { readBody } = await import('./src/call/http/answer.ts')
      const response = await new Promise((resolve, reject) =>
        get({ port, host: '127.0.0.1', agent: false }, resolve).on('error', reject))
      const { bytes, isCut } = await readBody(response, 8 * 1024 * 1024)
      return [bytes, isCut]
    },
    /** The answer of a tool, zipped as a server would send it. */
    async answer(begin, often, end) {
      const { answers, stage } = await import('./test/support/calling.ts')
      const { execTool } = await import('./test/support/host.ts')
      const { gzipSync, gunzipSync } = await import('node:zlib')
      const zipped = gzipSync(begin + often.repeat(4_000_000 / often.length) + end)
      const here = stage({ tools: [execTool('/bin/a', [], { id: 'a' })], outcome: answers(gunzipSync(zipped).toString()) })
      const { ok, reason = null } = await here.envelope('a', {})
      return [ok, reason, zipped.length < 20_000]
    },
  }
  const [name, cases] = process.argv.slice(2)
  const peaks = []
  for (const args of JSON.parse(cases)) {
    const said = await works[name](...args)
    peaks.push({ said, peak: Math.round(process.resourceUsage().maxRSS / 1024) })
  }
  console.log(JSON.stringify(peaks))`
let worksAt: Promise<string> | undefined

/**
 * Works in a child, one case after the other. Its heap is bounded, so that what is beyond it ends the child.
 *
 * @returns what each case said, and the most memory until its end: the smaller case comes first
 */
async function measured(
  work: 'keep' | 'message' | 'body' | 'answer',
  cases: readonly (readonly unknown[])[],
  heapMb = 256,
): Promise<readonly [Peak, Peak]> {
  worksAt ??= compiled(WORKS, folderFor('works'))
  const child = [`--max-old-space-size=${heapMb}`, await worksAt, work, JSON.stringify(cases)]
  const { stdout } = await run(process.execPath, child, { timeout: 120_000 })
  return JSON.parse(stdout)
}

describe('what is kept of a stream', () => {
  test('a stream in pieces of one byte takes about what one large piece takes', async () => {
    const [large, small] = await measured('keep', [
      [1, 300_000],
      [300_000, 1],
    ])
    assert.deepEqual(
      [large.said, small.said],
      [
        [300_000, false],
        [300_000, false],
      ],
    )
    assert.ok(small.peak < large.peak + 80, `${small.peak} MB, and ${large.peak} MB in one piece`)
  })

  test('is the same however it comes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 50 })), fc.nat(200), async (pieces, most) => {
        const stream = new PassThrough()
        const kept = keepOutput(stream, most)
        for (const piece of pieces) stream.write(piece)
        stream.end()
        await once(stream, 'close')
        const all = Buffer.concat(pieces)
        assert.equal(kept().bytes, all.length)
        assert.equal(kept().isCut, all.length > most)
        if (all.length <= most) assert.equal(kept().text, new TextDecoder().decode(all))
      }),
    )
  })

  test('a buffer grows to what it may hold and no further', () => {
    const buffer = new GrowingBuffer(10_000)
    assert.equal(buffer.append(Buffer.alloc(9_999, 'a')), 9_999)
    assert.equal(buffer.append(Buffer.from('bcd')), 1)
    assert.equal(buffer.append(Buffer.from('e')), 0)
    assert.equal(buffer.bytes().length, 10_000)
    assert.equal(buffer.bytes().at(-1), 'b'.charCodeAt(0))
    buffer.clear()
    assert.equal(buffer.append(Buffer.from('f')), 1)
    assert.equal(buffer.bytes().toString(), 'f')
  })
})

describe('values are counted before they are built', () => {
  test('the count is exact for JSON', () => {
    const countOf = (value: unknown): number =>
      typeof value !== 'object' || value === null
        ? 1
        : Object.values(value).reduce((sum: number, one) => sum + countOf(one), 1)
    fc.assert(
      fc.property(
        fc.anything({ maxDepth: 4 }).map(value => JSON.parse(JSON.stringify([value]))),
        fc.nat(2),
        (value, space) => {
          const text = JSON.stringify(value, null, space)
          const count = countOf(value)
          assert.equal(holdsMoreValues(text, count), false, text)
          assert.equal(holdsMoreValues(text, count - 1), true, text)
        },
      ),
    )
  })

  test('text that is no JSON holds none, and lines of JSON are counted as the first one', () => {
    assert.equal(holdsMoreValues('a,b,c\n1,2,3\n'.repeat(9), 3), false)
    assert.equal(holdsMoreValues('1,2,3,4,5', 3), false)
    assert.equal(holdsMoreValues('{"a":1}\n'.repeat(9), 3), false)
    assert.equal(holdsMoreValues('{"a":1,"a":2,"a":3}', 3), true)
  })

  const tool = execTool('/bin/a', [], { id: 'a' })
  const many = (count: number) => `[${Array.from({ length: count - 1 }, () => '0').join()}]`

  test('an answer of as many values as may be is read, and one of more is a failure', async () => {
    const told = (output: string) => stage({ tools: [tool], outcome: answers(output) }).envelope('a', {})
    const most = await told(many(MESSAGE_LIMITS.jsonValues))
    assert.ok(most.ok, JSON.stringify(most).slice(0, 300))
    const more = await told(many(MESSAGE_LIMITS.jsonValues + 1))
    assert.ok(!more.ok)
    assert.deepEqual(
      [more.kind, more['reason'], more.retryable],
      ['execution_error', 'too_many_values', false],
    )
    assert.match(more.message, /holds more than 250000 JSON values/)
  })

  test('the contract takes such an answer as text', () => {
    const text = many(MESSAGE_LIMITS.jsonValues + 1)
    const made = normalizeResult('a', text, { json: 'value', maxChars: Number.MAX_SAFE_INTEGER })
    assert.ok(made.ok)
    assert.deepEqual(Object.keys(made.result as object), ['text'])
  })
})

describe('a message of a client', () => {
  const CALL = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","arguments":{"list":'
  const read = strictly((line: string) => JSON.parse(line) as object)

  test('with too many values is refused before it is parsed, and answered', () => {
    assert.equal((read(`${CALL}[1,2]}}}`) as { id: number }).id, 7)
    const parsed: string[] = []
    const counting = strictly((line: string) => {
      parsed.push(line)
      return JSON.parse(line) as object
    })
    const long = `${CALL}[${'{},'.repeat(MESSAGE_LIMITS.jsonValues)}0]}}}`
    assert.throws(
      () => counting(long),
      (error: Error & { answer: { id: number; error: { code: number; message: string } } }) => {
        assert.equal(error.answer.id, 7)
        assert.equal(error.answer.error.code, -32700)
        assert.match(error.answer.error.message, /More than 250000 JSON values/)
        return true
      },
    )
    assert.deepEqual(parsed, [])
  })

  test('the id of a refused message is its own, and never one within it', () => {
    const twice = '"a":1,"a":2'
    const refused = (line: string) => {
      try {
        read(line)
      } catch (error) {
        return (error as { answer?: { id: unknown } }).answer?.id
      }
      return 'read'
    }
    assert.equal(refused(`{"id":3,"method":"x","params":{${twice},"id":9}}`), 3)
    assert.equal(refused(`{"params":{"id":9,"method":"y",${twice}},"method":"x","id":"s \\" 1"}`), undefined)
    assert.equal(refused(`{"params":{"id":9,"s":"]}\\"",${twice}},"method":"x","id":"s1"}`), 's1')
    assert.equal(refused(`{"params":{"id":9,${twice}},"method":"x"}`), undefined)
    assert.equal(refused(`{"id":3,"result":{${twice}}}`), undefined)
    assert.equal(refused(`{"id":3,"id":4,"method":"x"}`), undefined)
    assert.equal(refused(`{"id":3,"method":"x"`), 3)
  })

  test('of 10 MB takes memory in proportion to its bytes', async () => {
    const cases = [
      [`${CALL}"`, 'x', '"}}}'],
      [`${CALL}[`, '{},', '0]}}}'],
    ]
    const [text, values] = await measured('message', cases, 512)
    assert.equal(text.said, 'read')
    assert.match(String(values.said), /More than 250000 JSON values/)
    assert.ok(values.peak < text.peak + 100, `${values.peak} MB, and ${text.peak} MB as one text`)
  })

  test('in pieces of one byte is put together once', async () => {
    async function* bytes(text: string) {
      for (const byte of Buffer.from(text)) yield Uint8Array.of(byte)
    }
    const lines = []
    for await (const line of linesIn(bytes('{"é":1}\n\n{}\nrest'), 100)) lines.push(line)
    assert.deepEqual(lines, ['{"é":1}', '', '{}'])
    await assert.rejects(async () => {
      for await (const line of linesIn(bytes(`${'x'.repeat(100)}\n${'y'.repeat(101)}`), 100))
        assert.equal(line, 'x'.repeat(100))
    }, RangeError)
  })
})

describe('an answer over HTTP', () => {
  test('in chunks of one byte is kept in one buffer', async () => {
    const server = createServer(socket => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
        socket.end(`${'1\r\n1\r\n'.repeat(200_000)}0\r\n\r\n`)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    try {
      const [{ said, peak }] = await measured('body', [[port]])
      assert.deepEqual(said, [200_000, false])
      assert.ok(peak < 100, `${peak} MB`)
    } finally {
      server.close()
    }
  })

  test('of 4 MB that a few kilobytes became takes the memory of its text', async () => {
    const cases = [
      ['"', 'x', '"'],
      ['[', '{},', '0]'],
    ]
    const [text, values] = await measured('answer', cases, 512)
    assert.deepEqual(text.said, [true, null, true])
    assert.deepEqual(values.said, [false, 'too_many_values', true])
    assert.ok(values.peak < text.peak + 20, `${values.peak} MB, and ${text.peak} MB as one text`)
  })
})

describe('messages to a client', () => {
  interface Message {
    readonly id?: number
    readonly text: string
  }
  function transport(unread: () => number = () => 0) {
    const sent: string[] = []
    const trouble: string[] = []
    const line = new LineTransport<Message>(
      { input: (async function* () {})(), output: text => sent.push(text), unread },
      {
        read: text => JSON.parse(text) as Message,
        write: message => `${JSON.stringify(message)}\n`,
        instead: ({ id }, problem) => (id === undefined ? undefined : { id, text: problem }),
      },
    )
    line.onerror = error => trouble.push(error.message)
    return { line, sent, trouble }
  }

  test('one that is too long is answered with an error in its place', async () => {
    const { line, sent, trouble } = transport()
    await line.send({ id: 1, text: 'x' })
    await line.send({ id: 2, text: 'x'.repeat(MESSAGE_LIMITS.bytes) })
    await line.send({ text: 'x'.repeat(MESSAGE_LIMITS.bytes) })
    assert.deepEqual(
      sent.map(text => JSON.parse(text)),
      [
        { id: 1, text: 'x' },
        {
          id: 2,
          text: `the message is longer than 32 MiB (${MESSAGE_LIMITS.bytes} bytes): ask for less at once`,
        },
      ],
    )
    assert.equal(trouble.length, 2)
  })

  test('a client that does not read ends the connection', async () => {
    let unread: number = MESSAGE_LIMITS.unreadBytes
    const { line, sent, trouble } = transport(() => unread)
    let isClosed = false
    line.onclose = () => {
      isClosed = true
    }
    await line.send({ text: 'a' })
    assert.deepEqual([sent.length, isClosed], [1, false])
    unread++
    await line.send({ text: 'b' })
    assert.deepEqual([sent.length, isClosed], [1, true])
    assert.match(trouble[0] ?? '', /were not read, so the connection ends/)
  })
})
