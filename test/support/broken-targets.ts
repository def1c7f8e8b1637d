// Fuzz targets that do what none may do: the driver has to find each of them (scripts/torture/fuzz.ts).
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Target } from '../../scripts/torture/targets/target.ts'
import { RlpError } from '../../src/model/error.ts'

const target = (name: string, answer: Target['answer']): Target => ({
  name,
  share: 1,
  make: random => random.bytes(8),
  answer,
})

export const TARGETS: readonly Target[] = [
  target('good', () => 'fine'),
  target('refuses', () => {
    throw new RlpError('USAGE', 'Cannot do it: it is a test')
  }),
  target('throws', () => {
    throw new TypeError('not one of ours')
  }),
  target('late', async () => {
    void Promise.reject(new TypeError('without a listener'))
    await new Promise(resolve => setTimeout(resolve, 5))
    return 'fine'
  }),
  target('writes', (_, folder) => {
    writeFileSync(join(folder, '..', 'beside'), '')
    return 'fine'
  }),
  target('hangs', () => {
    for (;;);
  }),
  target('never', () => new Promise(() => {})),
  target('last', () => 'fine'),
]
