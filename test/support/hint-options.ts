// Every hint that a command prints in a test: an option that it names is one that this command takes, or one of a command that the hint spells out.
import assert from 'node:assert/strict'
import { REGISTRY } from '../../src/cli/commands.ts'
import { GLOBAL_OPTIONS } from '../../src/cli/option.ts'

/** Options of other programs that hints name. */
const FOREIGN = [
  '--allow-fs-read',
  '--allow-fs-write',
  '--allow-child-process',
  '--allow-worker',
  '--permission',
  '--export-memory',
  '--import-memory',
  // A placeholder for the option that the caller wrote.
  '--option',
]

export async function assertHintOptions(
  argv: readonly string[],
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): Promise<void> {
  const own = REGISTRY.commands.filter(({ name }) => `${argv.join(' ')} `.startsWith(`${name} `))
  const [command] = own.sort((a, b) => b.name.length - a.name.length)
  if (command === undefined) return
  for (const hint of [...hintsIn(stderr), ...hintsInJson(stdout)]) {
    const named = REGISTRY.commands.filter(({ name }) => hint.includes(`rlp ${name}`))
    const known = new Set([...FOREIGN, ...Object.keys(GLOBAL_OPTIONS).map(flag => `--${flag}`)])
    for (const entry of [command, ...named])
      for (const [flag, option] of Object.entries((await entry.load()).command.options)) {
        known.add(`--${flag}`)
        if (option.type === 'boolean' && option.negatable) known.add(`--no-${flag}`)
      }
    // `Write --out=--strict if --strict is meant as its value`: the value is a word of the caller.
    const ours = hint.replace(/=(?<word>--\S+) if \k<word> is meant as its value/, '')
    for (const [flag] of ours.matchAll(/(?<![\w-])--[a-z][a-z0-9-]*/g))
      assert.ok(known.has(flag), `rlp ${command.name} takes no ${flag}, and prints the hint: ${hint}`)
    assert.doesNotMatch(hint, /`(?:allowUnsigned|expect|outDir|trustPolicy)`/)
  }
}

function hintsIn(text: string): string[] {
  return [...text.matchAll(/^\s*hint: (.*(?:\n {4,}\S.*)*)/gm)].map(([, hint = '']) => hint)
}

function hintsInJson(text: string): string[] {
  return [...text.matchAll(/"hint":\s*("(?:[^"\\]|\\.)*")/g)].map(
    ([, hint = '""']) => JSON.parse(hint) as string,
  )
}
