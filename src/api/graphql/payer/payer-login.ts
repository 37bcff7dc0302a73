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
  description: 'What a wallet signs to be shown its own payments.',
  fields: (t) => ({
    message: t.exposeString('message', { description: 'A sign-in message (EIP-4361), for personal_sign.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when it is taken, once.' }),
  }),
});

const PayerLoginRef = builder.objectRef<PayerLogin>('PayerLogin').implement({
  description: "A wallet's token: it reads what that wallet paid, and nothing else.",
  fields: (t) => ({
    accessToken: t.string({
      description: 'A JWT of the audience `payer`, for the header `Authorization: Bearer`.',
      resolve: ({ issued }) => issued.token,
    }),
    expiresIn: t.int({ description: 'Seconds.', resolve: ({ issued }) => issued.expiresInSeconds }),
    wallet: t.field({ type: 'Address', description: 'Checksummed.', resolve: ({ wallet }) => wallet }),
    chainId: t.int({
      nullable: true,
      description: 'The one chain that it counts on, for a contract wallet; null: all.',
      resolve: ({ chainId }) => chainId,
    }),
  }),
});

const requestRules = defineRules({ schema: z.object({ wallet: z.string(), chainId: z.int() }) });
const RequestPayerLoginInput = builder.inputType('RequestPayerLoginInput', {
  description: 'The wallet.',
  extensions: carryRules(requestRules),
  fields: (t) => ({
    wallet: t.field({ type: 'Address', required: true, description: 'An EVM address; a wrong checksum is refused.' }),
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
  description: 'The message as it was given, and its signature.',
  extensions: carryRules(verifyRules),
  fields: (t) => ({
    message: t.string({ required: true, description: `Of requestPayerLogin, at most ${SIGN_IN_LENGTH} characters.` }),
    signature: t.field({
      type: 'Hex',
      required: true,
      description: "The wallet's: of its key, by ERC-1271, or by ERC-6492 before the wallet is deployed.",
    }),
  }),
});

builder.mutationField('requestPayerLogin', (t) =>
  t.field({
    type: PayerChallengeRef,
    description: 'Makes a message for a wallet to sign. Writes nothing. VALIDATION_ERROR for a chain not served here.',
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
      'Gives a wallet its token. VALIDATION_ERROR for a message that is not ours or too old, AUTHENTICATION_ERROR for a wrong signature and for a message that was used.',
    authScopes: { public: true },
    // The signature of a contract is verified by its code in a node.
    complexity: 1_000,
    args: { input: t.arg({ type: VerifyPayerLoginInput, required: true, description: 'What was signed.' }) },
    resolve: (_root, { input }, context) => logInPayer(byRealTime(context.world), checked(context, verifyRules, input)),
  }),
);
