/**
 * Validates the parties to every payment other than payer and merchant before anything runs. A fee paid to a sink address is lost, and an
 * arbiter that is also the operator would decide on its own captures. The escrow contract rejects both.
 */
import { isAddressEqual } from 'viem';
import { readPayable } from '../chains/payable-address.ts';
import type { Registry } from '../chains/registry.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import type { OperatorSigner } from '../operator/operator-signer.ts';

/** Throws one ConfigError that names every setting whose address cannot take part in payments on some registered chain. */
export function requirePayableParties(
  config: Pick<Config, 'feeRecipient' | 'arbiter' | 'solana'>,
  registry: Registry,
): void {
  const settings = [
    { name: 'FEE_RECIPIENT', family: 'EVM', text: config.feeRecipient },
    { name: 'ARBITER_ADDRESS', family: 'EVM', text: config.arbiter.address },
    { name: 'SOLANA_FEE_RECIPIENT', family: 'SOLANA', text: config.solana.feeRecipient },
  ] as const;
  const faults = settings.flatMap(({ name, family, text }) => {
    const fault = text === undefined ? null : readPayable(registry.chains(), { family, text }).fault;
    return fault === null ? [] : [`${name}: ${fault}`];
  });
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
}

/** Throws ConfigError where a sender key is the operator's or the arbiter's, whose transactions must not wait for relayed ones. */
export function requireSendersApart(signers: {
  operator: OperatorSigner;
  arbiter: OperatorSigner | null;
  senders: readonly OperatorSigner[];
}): void {
  const roles = [
    { role: 'operator', address: signers.operator.address },
    ...(signers.arbiter ? [{ role: 'arbiter', address: signers.arbiter.address }] : []),
  ];
  const faults = signers.senders.flatMap((sender) =>
    roles
      .filter(({ address }) => isAddressEqual(address, sender.address))
      .map(
        ({ role }) =>
          `SENDER_PRIVATE_KEYS: has the key of the ${role} ${sender.address}; sender keys are keys of their own`,
      ),
  );
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
}

/** Throws ConfigError where the operator's address is a sink, and where it is also the arbiter's address. */
export function requireOperatorAlone(
  world: { config: Pick<Config, 'arbiter'>; registry: Registry },
  { operator, arbiter }: { operator: OperatorSigner; arbiter: OperatorSigner | null },
): void {
  const { fault } = readPayable(world.registry.chains(), { family: 'EVM', text: operator.address });
  if (fault !== null) throw new ConfigError(`The operator's address ${operator.address} ${fault}`);
  const arbiters = [
    { name: 'ARBITER_ADDRESS', address: world.config.arbiter.address },
    { name: 'ARBITER_PRIVATE_KEY', address: arbiter?.address },
  ];
  const faults = arbiters
    .filter(({ address }) => address !== undefined && isAddressEqual(address, operator.address))
    .map(({ name }) => `${name}: is the operator ${operator.address}; disputes need an arbiter of their own, or none`);
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
}
