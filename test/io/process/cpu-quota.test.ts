// The quota of the processor, read from folders that look like those of containers, services and machines without any.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { cpuQuota } from '../../../src/io/process/cpu-quota.ts'
import { temporary } from '../../support/folder.ts'

const folder = temporary('cpu-quota')

/** The quota on a machine with these files. */
function quota(cgroup: string | undefined, files: Readonly<Record<string, string>> = {}): number | undefined {
  const root = folder('root')
  const all = {
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`sys/fs/cgroup/${name}`, text])),
    ...(cgroup !== undefined && { 'proc/self/cgroup': cgroup }),
  }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return cpuQuota(root)
}

test('version 2: the least of the own cgroup and those above it', () => {
  assert.equal(quota('0::/a/b\n', { 'a/b/cpu.max': '150000 100000\n' }), 1.5)
  const two = { 'a/cpu.max': '50000 100000\n', 'a/b/cpu.max': 'max 100000\n', 'cpu.max': '400000 100000\n' }
  assert.equal(quota('0::/a/b\n', two), 0.5)
  assert.equal(quota('0::/a/b\n', { ...two, 'a/b/cpu.max': '20000 100000\n' }), 0.2)
})

test('version 2 in a container: its own cgroup is the one at the top', () => {
  assert.equal(quota('0::/\n', { 'cpu.max': '200000 100000\n' }), 2)
  // As the host names it, which is not mounted here.
  assert.equal(quota('0::/docker/1234\n', { 'cpu.max': '200000 100000\n' }), 2)
  assert.equal(quota('0::/../other\n', { 'cpu.max': '200000 100000\n', '../other/cpu.max': '1 1\n' }), 2)
})

test('version 1, in either folder', () => {
  const cgroup = '5:memory:/x\n4:cpu,cpuacct:/docker/1\n1:name=systemd:/y\n'
  const of = (at: string, quota: string) => ({
    [`${at}/cpu.cfs_quota_us`]: `${quota}\n`,
    [`${at}/cpu.cfs_period_us`]: '100000\n',
  })
  assert.equal(quota(cgroup, of('cpu,cpuacct/docker/1', '250000')), 2.5)
  assert.equal(quota(cgroup, of('cpu', '300000')), 3)
  assert.equal(quota(cgroup, { ...of('cpu', '300000'), ...of('cpu/docker/1', '-1') }), 3)
  assert.equal(quota(cgroup, of('memory/x', '300000')), undefined)
})

test('none: no limit, no cgroups, and what cannot be read', () => {
  assert.equal(quota(undefined), undefined)
  assert.equal(quota('0::/a\n'), undefined)
  assert.equal(quota('0::/a\n', { 'a/cpu.max': 'max 100000\n' }), undefined)
  for (const text of ['', 'x', '0 100000', '100000', '100000 0', '-5 100000', '1e5 100000'])
    assert.equal(quota('0::/a\n', { 'a/cpu.max': text }), undefined, text)
  for (const cgroup of ['', 'x', '0::', '0::a', '::/a', '0:/a'])
    assert.equal(quota(cgroup, { 'a/cpu.max': '1 1' }), undefined, cgroup)
})

test('here it is a number above 0, or there is none', () => {
  const here = cpuQuota()
  assert.ok(here === undefined || here > 0)
})
