// The declarations that the package has: what an exported type leads to stays, whatever its form, and the rest goes.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { keepReached } from '../../scripts/reached-types.ts'
import { writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'

const folderFor = temporary('reached-types')

test('what an exported type leads to stays, and the rest goes', () => {
  const folder = folderFor('one')
  writeTree(folder, {
    'index.d.ts':
      "export { type A, open as start } from './a.ts';\nexport * from './all.ts';\nexport * as Room from './room.ts';\n",
    'a.d.ts': [
      "import type { B as Other, Unused } from './b.ts';",
      "import type { Deep } from './deep.ts';",
      '/** An A. */',
      'export type A = ',
      '/** One. */',
      '{',
      '    readonly is: Other;',
      '}',
      '/** Two. */',
      ' | {',
      "    readonly at: import('./c.ts').C;",
      '};',
      'export declare function open(): Internal;',
      'interface Internal {',
      '    readonly a: A;',
      '}',
      'export declare function inside(): Deep;',
      '',
    ].join('\n'),
    'all.d.ts': 'export interface All {\n    readonly x: string;\n}\n',
    'room.d.ts': 'export interface Chair {\n}\n',
    'b.d.ts': 'export interface B {\n}\nexport interface Unused {\n}\n',
    'c.d.ts': 'export interface C {\n}\n/** Not exported by an entry. */\nexport interface Lost {\n}\n',
    'deep.d.ts': 'export interface Deep {\n}\n',
  })
  keepReached(folder, ['index.d.ts'])
  const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
  assert.match(
    textOf('a.d.ts'),
    /^import \{ B as Other \} from '\.\/b\.ts';\n\/\*\* An A\. \*\/\nexport type A = \n\/\*\* One\. \*\/\n\{/,
  )
  assert.match(
    textOf('a.d.ts'),
    /\/\*\* Two\. \*\/\n \| \{\n.*import\('\.\/c\.ts'\)\.C;\n\};\nexport declare function open.*\ninterface Internal/s,
  )
  assert.doesNotMatch(textOf('a.d.ts'), /inside|Deep|Unused/)
  assert.equal(textOf('b.d.ts'), 'export interface B {\n}\n')
  assert.equal(textOf('c.d.ts'), 'export interface C {\n}\n')
  assert.match(textOf('all.d.ts'), /All/)
  assert.match(textOf('room.d.ts'), /Chair/)
  assert.equal(existsSync(join(folder, 'deep.d.ts')), false)
})
