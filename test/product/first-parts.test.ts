// Judges and lints with all first parts switched off: the answers have to be those in test/kept/, which kept.test.ts compares with the program as
// it is.
import { before, describe, test } from 'node:test'
import { useFirstParts } from '../../src/model/first-parts.ts'
import { temporary } from '../support/folder.ts'
import {
  assertKeptMutants,
  assertKeptRuleFindings,
  assertKeptVectorFindings,
  assertKeptVectors,
} from '../support/kept-answers.ts'
import { IS_UPDATE } from '../support/kept-data.ts'
import { vectorsNow } from '../support/kept-judged.ts'

const folderFor = temporary('first-parts')

describe('without first parts', { skip: IS_UPDATE && 'kept.test.ts writes the data' }, () => {
  before(() => useFirstParts(false))

  test('the vectors of the conformance kit are judged alike', async () => {
    const vectors = vectorsNow()
    await assertKeptVectors(folderFor('kit'), vectors)
    await assertKeptVectorFindings(vectors)
  })
  test('signed mutants are judged alike', assertKeptMutants)
  test('the fixtures of rules have the same findings', assertKeptRuleFindings)
})
