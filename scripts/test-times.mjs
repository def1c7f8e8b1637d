// A reporter for `node --test` that writes one line of JSON for each test file: how long it took, and whether it failed. Files that share
// a process are told apart by the suite that test/support/in-turn.ts makes of each.

/** @param {AsyncIterable<{ type: string, data: { name: string, nesting: number, details: { duration_ms: number } } }>} events */
export default async function* times(events) {
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting !== 0) continue
    const ran = { file: data.name, seconds: data.details.duration_ms / 1000, failed: type === 'test:fail' }
    yield `${JSON.stringify(ran)}\n`
  }
}
