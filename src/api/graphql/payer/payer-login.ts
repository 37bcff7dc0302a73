/** The login of a wallet: the mutations requestPayerLogin and verifyPayerLogin. */
import { z } from 'zod';
import { logInPayer, type PayerLogin } from '../../../card/payer/log-in-payer.ts';
import { payerAccount } from '../../../card/payer/payer-account.ts';
import { newPayerChallenge, type PayerChallenge } from '../../../card/payer/payer-challenge.ts';
import { SIGN_IN_LENGTH } from '../../../card/sign-in-message.ts';
import { builder } from '../server/builder.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { byRealTime } from '../server/world.ts';

const SIGNATURE_LENGTH = 16_386;

const PayerChallengeRef = builder.objectRef<PayerChallenge>('PayerChallenge').implement({
  description: 'A message that a wallet signs to log in and read its own payments.',
  fields: (t) => ({
    message: t.exposeString('message', { description: 'A sign-in message (EIP-4361), to be signed by personal_sign.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Expiration time. The message is accepted once.',
    }),
  }),
});

const PayerLoginRef = builder.objectRef<PayerLogin>('PayerLogin').implement({
  description:
    'The access token of a wallet. It grants read access to what that wallet has paid and signed, and to nothing else.',
  fields: (t) => ({
    accessToken: t.string({
      description: 'A JWT of the audience `payer`, for the header `Authorization: Bearer`.',
      resolve: ({ issued }) => issued.token,
    }),
    expiresIn: t.int({
      description: 'Lifetime of the token, in seconds.',
      resolve: ({ issued }) => issued.expiresInSeconds,
    }),
    wallet: t.field({
      type: 'Address',
      description: 'Address of the wallet, with its checksum.',
      resolve: ({ wallet }) => wallet,
    }),
    chainId: t.int({
      nullable: true,
      description:
        'For a contract wallet, the only chain on which the token is valid. Null if it is valid on all chains.',
      resolve: ({ chainId }) => chainId,
    }),
  }),
});

const requestRules = defineRules({ schema: z.object({ wallet: z.string(), chainId: z.int() }) });
const RequestPayerLoginInput = builder.inputType('RequestPayerLoginInput', {
  description: 'The wallet.',
  extensions: carryRules(requestRules),
  fields: (t) => ({
    wallet: t.field({
      type: 'Address',
      required: true,
      description: 'An EVM address. An address with an invalid checksum is refused.',
    }),
    chainId: t.int({
      required: true,
      description: 'The chain of the wallet, on which a contract wallet is verified.',
    }),
  }),
});

const verifyRules = defineRules({
  schema: z.object({
    message: z.string().max(SIGN_IN_LENGTH, `at most ${SIGN_IN_LENGTH} characters`),
    signature: z
      .string()
      .regex(/^0x([0-9a-fA-F]{2})+$/, 'hex digits after 0x')
      .max(SIGNATURE_LENGTH, `at most ${SIGNATURE_LENGTH} characters`),
  }),
});
const VerifyPayerLoginInput = builder.inputType('VerifyPayerLoginInput', {
  description: 'The message that requestPayerLogin returned, and its signature.',
  extensions: carryRules(verifyRules),
  fields: (t) => ({
    message: t.string({
      required: true,
      description: `The message that requestPayerLogin returned, at most ${SIGN_IN_LENGTH} characters.`,
    }),
    signature: t.field({
      type: 'Hex',
      required: true,
      description:
        "Signature by the wallet's key, by a contract wallet (ERC-1271), or by one that is not deployed yet (ERC-6492).",
    }),
  }),
});

builder.mutationField('requestPayerLogin', (t) =>
  t.field({
    type: PayerChallengeRef,
    description:
      'Returns a message for a wallet to sign. Writes nothing. VALIDATION_ERROR if this installation does not serve the chain.',
    authScopes: { public: true },
    args: { input: t.arg({ type: RequestPayerLoginInput, required: true, description: 'The wallet.' }) },
    resolve: (_root, { input }, context) => {
      const world = byRealTime(context.world);
      const account = payerAccount(world, checked(context, requestRules, input));
      return newPayerChallenge(world, { account, now: world.clock.now() });
    },
  }),
);

builder.mutationField('verifyPayerLogin', (t) =>
  t.field({
    type: PayerLoginRef,
    description:
      'Logs a wallet in and returns its token. VALIDATION_ERROR if this installation did not issue the message, or if it has expired. AUTHENTICATION_ERROR if the signature is wrong or the message was already used.',
    authScopes: { public: true },
    // The signature of a contract is verified by its code in a node.
    complexity: 1_000,
    args: { input: t.arg({ type: VerifyPayerLoginInput, required: true, description: 'The signed message.' }) },
    resolve: (_root, { input }, context) => logInPayer(byRealTime(context.world), checked(context, verifyRules, input)),
  }),
);
