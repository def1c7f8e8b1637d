// docs/fleet.md shows the recipes for schedulers as they are in fixtures/pipelines, and their numbers fit each other. test/schedulers/ runs them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'

const PAGE = readFileSync('docs/fleet.md', 'utf8')
const RECIPES = {
  Slurm: ['slurm/nightly.sh', 'slurm/verify.sbatch'],
  Kubernetes: ['kubernetes/fleet.yaml', 'kubernetes/nightly.sh'],
  'GNU parallel': ['parallel/nightly.sh'],
  GitLab: ['ci/fleet.gitlab-ci.yml'],
  GitHub: ['.github/workflows/fleet.yml'],
}
const textOf = (file: string) => readFileSync(join('fixtures/pipelines', file), 'utf8')

for (const [scheduler, files] of Object.entries(RECIPES)) {
  describe(scheduler, () => {
    const all = files.map(textOf).join('\n')

    test('is on the page as it is in fixtures/pipelines', () => {
      const section = PAGE.split(`\n### ${scheduler}\n`)[1]?.split('\n### ')[0] ?? ''
      for (const file of files) {
        const kind = file.endsWith('ml') ? 'yaml' : 'bash'
        assert.ok(section.includes(`\n\`\`\`${kind}\n${textOf(file)}\`\`\`\n`), file)
      }
    })

    test('lists once, verifies a part of one run, keeps whole reports alone, and merges with the list', () => {
      assert.equal(all.match(/\bfind /g)?.length, 1)
      assert.match(all, /LC_ALL=C sort -z/)
      assert.match(
        all,
        /rlp agent verify --bundles-from \S+ -0 --shard \S+ --run \S+.* --format ndjson .*> \S+\.tmp\S*/,
      )
      assert.match(all, /0 \| 1 \| 3 \| 4\) mv \S+\.tmp"? \S+\.ndjson/)
      assert.match(all, /rlp report merge \S+ --list \S+ -0 --out \S*report\.ndjson/)
    })
  })
}

test('the numbers of Kubernetes are those of all parts', () => {
  const job = parseAllDocuments(textOf('kubernetes/fleet.yaml'))
    .map(one => one.toJS())
    .find(({ metadata }) => metadata.name === 'rlp-verify')
  const { completions, parallelism, maxFailedIndexes, template } = job.spec
  const shards = template.spec.containers[0].env.find(({ name }: { name: string }) => name === 'RLP_SHARDS')
  assert.deepEqual(
    [completions, parallelism, maxFailedIndexes, template.spec.containers[0].name],
    [
      Number(shards.value),
      completions,
      completions,
      job.spec.podFailurePolicy.rules[0].onExitCodes.containerName,
    ],
  )
})

test('the numbers of GitHub are those of all parts', () => {
  const { shard } = parse(textOf('.github/workflows/fleet.yml')).jobs.verify.strategy.matrix
  assert.deepEqual(
    shard,
    shard.map((_: number, at: number) => at + 1),
  )
})
