import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Solve } from './solve-with-z3.ts';

/** Each of the kernel's contracts and its file in contracts/. */
export const kernels = {
  SharesKernel: 'kernel/Shares.sol',
  PaymentKernel: 'kernel/PaymentKernel.sol',
  ConsentKernel: 'kernel/ConsentKernel.sol',
  CreditKernel: 'kernel/CreditKernel.sol',
  DepositKernel: 'kernel/DepositKernel.sol',
} as const;
export type Kernel = keyof typeof kernels;

export type KernelProof = {
  /** Assertions, with the function they were proved in: one for each pair. */
  proved: number;
  /** Assertions that do not hold, each with the values that break it. */
  refuted: string[];
  /** Assertions that the solver could not decide in its time. */
  undecided: string[];
};

const contracts = fileURLToPath(new URL('..', import.meta.url));

type SmtCallback = (query: string) => { contents: string } | { error: string };
const solc: { compile(input: string, callbacks: { smtSolver: SmtCallback }): string } = createRequire(import.meta.url)(
  'solc',
);

const Output = z.object({
  errors: z
    .array(z.object({ severity: z.string(), errorCode: z.string().optional(), formattedMessage: z.string() }))
    .default([]),
});

/** The compiler's codes for an assertion that does not hold, that may not hold, and that holds. */
const REFUTED = '4661';
const UNDECIDED = '7812';
const PROVED = '2961';
/** The engine is deprecated; the abstractions below have assembly; the summary of what was proved. */
const EXPECTED = ['3993', '5724', '2788', '6002'];

/**
 * What stands for a library while its user is proved; the model checker takes what assembly assigns for any value. A
 * share is any number with the bounds that are proved of SharesKernel, and a date is any date at all.
 */
const abstractions = {
  'kernel/Shares.sol': `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;
library Shares {
    function shareOf(uint128 amount, uint16 bps) internal pure returns (uint128 share) {
        assembly ("memory-safe") { share := 0 }
        require(bps > 10_000 || share <= amount);
        require(bps > 1_000 || uint256(share) * 10 <= amount);
    }
}`,
  'Calendar.sol': `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;
library Calendar {
    function addMonths(uint256, uint256) internal pure returns (uint256 date) {
        assembly ("memory-safe") { date := 0 }
    }
}`,
};

/**
 * Asks the compiler's model checker whether every assertion of one kernel holds, for the source on disk or another one.
 * With `untilRefuted` the queries after the first counterexample are left unanswered.
 */
export async function checkKernel(
  solve: Solve,
  { kernel, source, untilRefuted = false }: { kernel: Kernel; source?: string; untilRefuted?: boolean },
): Promise<KernelProof> {
  const file = kernels[kernel];
  const input = {
    language: 'Solidity',
    sources: {
      'kernel/Shares.sol': { content: abstractions['kernel/Shares.sol'] },
      'Calendar.sol': { content: abstractions['Calendar.sol'] },
      [file]: { content: source ?? (await readFile(path.join(contracts, file), 'utf8')) },
    },
    settings: {
      evmVersion: 'prague',
      outputSelection: {},
      modelChecker: {
        engine: 'bmc',
        solvers: ['smtlib2'],
        targets: ['assert'],
        contracts: { [file]: [kernel] },
        showProvedSafe: true,
        showUnproved: true,
      },
    },
  };
  let refuted = false;
  const smtSolver: SmtCallback = (query) => {
    if (refuted && untilRefuted) return { contents: 'unknown\n' };
    const contents = solve(query);
    if (contents.startsWith('sat')) refuted = true;
    return { contents };
  };
  const { errors } = Output.parse(JSON.parse(solc.compile(JSON.stringify(input), { smtSolver })));
  return judge(errors);
}

function judge(messages: z.infer<typeof Output>['errors']): KernelProof {
  const proof: KernelProof = { proved: 0, refuted: [], undecided: [] };
  for (const { severity, errorCode = '', formattedMessage } of messages) {
    if (errorCode === PROVED) proof.proved += 1;
    else if (errorCode === REFUTED) proof.refuted.push(formattedMessage);
    else if (errorCode === UNDECIDED) proof.undecided.push(formattedMessage);
    else if (severity === 'error' || (/BMC|SMTChecker/.test(formattedMessage) && !EXPECTED.includes(errorCode))) {
      throw new Error(formattedMessage);
    }
  }
  return proof;
}
