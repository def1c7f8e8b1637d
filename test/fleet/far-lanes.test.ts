// Lanes of servers: how many run, who waits for whom, and what is left of them when one fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachInLanes, FarLanes, farServer } from '../../src/fleet/lanes.ts'

const idle = new AbortController().signal
/** Enough for everything that can go on to do so. */
const turns = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
}

/** Runs that end when they are told to. */
function held() {
  const open: (() => void)[] = []
  const begun: string[] = []
  const run = (name: string) => (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      begun.push(name)
      open.push(resolve)
      signal.addEventListener('abort', () => reject(new Error(`${name} was ended`)), { once: true })
    })
  const endEach = async (count: number) => {
    for (let at = 0; at < count; at++) {
      open.shift()?.()
      await turns()
    }
  }
  return { begun, run, endEach }
}

test('what is in a registry has its server with its port, and what is here has none', () => {
  assert.deepEqual(
    ['oci://r.example/a:1', 'oci://r.example:5000/a/', 'oci-layout:/store:1', '/a.bundle', 'oci://bad'].map(
      farServer,
    ),
    ['r.example', 'r.example:5000', undefined, undefined, undefined],
  )
})

test('what is here is worked on one after the other, and what is far meanwhile', async () => {
  let [running, most] = [0, 0]
  const order: string[] = []
  const work = async (item: string) => {
    const isHere = !item.startsWith('far')
    if (isHere) most = Math.max(most, ++running)
    await turns()
    if (isHere) running--
    order.push(item)
    return item
  }
  const server = (item: string) => (item.startsWith('far') ? 'a' : undefined)
  const items = ['far1', 'here1', 'here2', 'here3', 'far2']
  assert.deepEqual(await eachInLanes(items, { server, signal: idle }, work), items)
  assert.equal(most, 1)
  assert.deepEqual(
    order.filter(item => item.startsWith('here')),
    ['here1', 'here2', 'here3'],
  )
})

test('a lane that has nothing waiting is the same lane for what comes next', async () => {
  const { begun, run, endEach } = held()
  const lanes = new FarLanes(idle)
  for (let at = 0; at < 4; at++) await lanes.add('a', run('a'))
  await endEach(1)
  for (let at = 0; at < 4; at++) await lanes.add('a', run('a'))
  assert.equal(begun.length, 5, 'three that run, and one more')
  const end = lanes.settle()
  await endEach(7)
  await end
  assert.equal(begun.length, 8)
})

test('four run at one server and 64 at all, and one that ends makes room for one', async () => {
  const { begun, run, endEach } = held()
  const lanes = new FarLanes(idle)
  for (let at = 0; at < 6; at++) await lanes.add('a', run('a'))
  assert.equal(begun.length, 4)
  await endEach(1)
  assert.equal(begun.length, 5)
  for (let server = 0; server < 30; server++)
    for (let at = 0; at < 4; at++) await lanes.add(`s${server}`, run(`s${server}`))
  // Four of a, and sixty more.
  assert.equal(begun.length, 65)
  await endEach(1)
  assert.equal(begun.length, 66)
  const end = lanes.settle()
  await endEach(126)
  await end
  assert.equal(begun.length, 126)
})

test('a smaller number of all is kept', async () => {
  const { begun, run, endEach } = held()
  const lanes = new FarLanes(idle, 2)
  for (const server of ['a', 'b', 'c']) await lanes.add(server, run(server))
  assert.deepEqual(begun, ['a', 'b'])
  await endEach(1)
  assert.deepEqual(begun, ['a', 'b', 'c'])
})

test('settling waits for all, also for what a run has found, and is over at once where there is nothing', async () => {
  await new FarLanes(idle).settle()
  const lanes = new FarLanes(idle)
  const done: string[] = []
  await lanes.add('a', async () => {
    await turns()
    lanes.addFirst('b', [
      async () => {
        await turns()
        done.push('found')
      },
    ])
    done.push('first')
  })
  await lanes.settle()
  assert.deepEqual(done, ['first', 'found'])
})

test('the first failure ends what runs, takes away what waits, and is what everyone is told', async () => {
  const { begun, run } = held()
  const lanes = new FarLanes(idle)
  for (let at = 0; at < 6; at++) await lanes.add('a', run('a'))
  await lanes.add('b', async () => {
    throw new Error('first')
  })
  await turns()
  lanes.addFirst('c', [run('late')])
  await assert.rejects(lanes.settle(), /^Error: first$/)
  await assert.rejects(lanes.add('c', run('late')), /^Error: first$/)
  assert.deepEqual(begun, Array(4).fill('a'))
})

test('what failed elsewhere ends them, and is not covered up by what they say of it', async () => {
  const { run } = held()
  const lanes = new FarLanes(idle)
  await lanes.add('a', run('a'))
  await lanes.end(new Error('elsewhere'))
  await assert.rejects(lanes.settle(), /^Error: elsewhere$/)
})

test('the caller’s signal reaches every run', async () => {
  const stop = new AbortController()
  const { run } = held()
  const lanes = new FarLanes(stop.signal)
  await lanes.add('a', run('a'))
  stop.abort()
  await assert.rejects(lanes.settle(), /a was ended/)
})

test('what is here is worked on in order, while others are fetched', async () => {
  const order: string[] = []
  let fetched = () => {}
  const far = new Promise<void>(resolve => {
    fetched = resolve
  })
  const results = await eachInLanes(
    ['far', 'here 1', 'here 2'],
    { server: item => (item === 'far' ? 'r.example' : undefined), signal: idle },
    async item => {
      order.push(item)
      if (item === 'far') await far
      if (item === 'here 2') fetched()
      return item.toUpperCase()
    },
  )
  assert.deepEqual(order, ['far', 'here 1', 'here 2'])
  assert.deepEqual(results, ['FAR', 'HERE 1', 'HERE 2'])
})

test('what a run has found comes before what waits, and in its order', async () => {
  const { begun, run, endEach } = held()
  const lanes = new FarLanes(idle, 1)
  for (const name of ['a', 'b']) await lanes.add('s', run(name))
  lanes.addFirst('s', [run('a1'), run('a2')])
  const end = lanes.settle()
  await endEach(4)
  await end
  assert.deepEqual(begun, ['a', 'a1', 'a2', 'b'])
})
