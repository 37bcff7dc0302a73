import type { AccountName } from '../../chains/account-id.ts';
import type { Registry } from '../../chains/registry.ts';
import { parseSignInMessage } from '../sign-in-message.ts';
import type { WantedSignature } from '../signing/wanted-signature.ts';
import { describeEvmTransaction } from './describe-evm-transaction.ts';
import { describeSolanaTransaction } from './describe-solana-transaction.ts';
import { describeTypedData } from './describe-typed-data.ts';
import { type Display, isLong, shortened, textOf } from './display.ts';

/** What the holder is shown about a request before signing it. */
export async function describeRequest(
  world: { registry: Registry },
  request: { account: AccountName; clientOrigin: string; wanted: WantedSignature },
): Promise<Display> {
  const { account, wanted } = request;
  const { chainId } = account;
  switch (wanted.kind) {
    case 'message':
      return describeMessage(wanted.message, request.clientOrigin);
    case 'typedData':
      return describeTypedData(world, { chainId, typedData: wanted.typedData, namesChain: wanted.chainId !== null });
    case 'evmTransaction':
      return describeEvmTransaction(world, { chainId, transaction: wanted.transaction });
    case 'solanaTransaction':
      return await describeSolanaTransaction(world, { chainId, transaction: wanted.transaction });
    default:
      return wanted satisfies never;
  }
}

function messageWarnings(text: string): string[] {
  return [
    ...(isLong(text) ? ['The message is longer than what is shown here.'] : []),
    ...(/wants\s+you\s+to\s+sign\s+in/i.test(text) ? ['It looks like a login, but is not written as one.'] : []),
  ];
}

/** Describes a message. A sign-in message for another site gets a warning, because that is how logins are stolen. */
function describeMessage(message: Uint8Array, clientOrigin: string): Display {
  const text = textOf(message);
  if (text === null) {
    return {
      summary: `Sign ${message.length} bytes that are no text.`,
      warnings: ['Nobody can read what this says.'],
    };
  }
  const login = parseSignInMessage(text);
  if (!login) return { summary: `Sign the message “${shortened(text)}”.`, warnings: messageWarnings(text) };
  const host = new URL(clientOrigin).host;
  const warnings =
    login.domain === host ? [] : [`This logs in to ${shortened(login.domain)}, but ${host} asks for it.`];
  return { summary: `Log in to ${shortened(login.domain)} as ${shortened(login.address)}.`, warnings };
}
