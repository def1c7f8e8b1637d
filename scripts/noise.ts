// npm run noise: what lint says of real tool lists. Imports each list of a folder into an agent of its own, lints it, and prints findings that
// a seed draws, each with the entries that it is about, for readers who judge how many of them are noise.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { countsText, drawn, findingText, listsText } from './noise/report.ts'
import { survey } from './noise/survey.ts'

const HELP = `Usage: npm run noise -- FOLDER [--seed S] [--count N] [--lists]

FOLDER has a tool list in each .json file, in any form that rlp tool import reads. Prints how many findings each rule has, and
N of the findings, drawn by the seed, with the tools that they are about.

  --seed S    draws other findings (default: 1); the same seed draws the same ones
  --count N   how many (default: 40)
  --lists     also prints how many findings each list has
  -h, --help  show this help`

/** Everything that is printed. */
export async function noise(
  folder: string,
  given: { readonly seed: string; readonly count: number; readonly isByList: boolean },
): Promise<string> {
  const { seed, count, isByList } = given
  const surveyed = await survey(folder)
  const found = drawn(surveyed.findings, seed, count)
  return [
    countsText(surveyed),
    ...(isByList ? [listsText(surveyed)] : []),
    `${found.length} of ${surveyed.findings.length} findings, drawn by seed ${seed}`,
    ...found.map((one, index) => `${index + 1}. ${findingText(one)}`),
    '',
  ].join('\n\n')
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '40' },
      lists: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  })
  const [folder] = positionals
  if (values.help) process.stdout.write(`${HELP}\n`)
  else if (folder === undefined || !/^[0-9]+$/.test(values.count)) {
    process.stderr.write(`${HELP}\n`)
    process.exitCode = 2
  } else {
    const { seed, count, lists } = values
    process.stdout.write(await noise(folder, { seed, count: Number(count), isByList: lists }))
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
