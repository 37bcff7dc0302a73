/** The card API's login: the mutations requestOtp and verifyOtp. */
import { z } from 'zod';
import { emailSchema } from '../../../auth/members/member.ts';
import {
  type PasswordRequest,
  requestOneTimePassword,
} from '../../../auth/one-time-password/request-one-time-password.ts';
import { type CardLogin, logInCardUser } from '../../../card/log-in-card-user.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { byRealTime } from '../server/world.ts';

export const otpRules = defineRules({ schema: z.object({ email: emailSchema }) });

export const codeSchema = z.string().regex(/^\d{6}$/, '6 digits');

export const OtpRequestRef = builder.objectRef<PasswordRequest>('OtpRequest').implement({
  description: 'A one-time password that was sent. The response is the same for known and unknown addresses.',
  fields: (t) => ({
    requestId: t.expose('requestId', { type: 'UUID', description: 'ID with which the code is verified.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Expiration time of the code, after ten minutes.',
    }),
    resendAfterSeconds: t.exposeInt('resendAfterSeconds', {
      description: 'Seconds until a new code can be requested.',
    }),
  }),
});

const RequestOtpInput = builder.inputType('RequestOtpInput', {
  description: 'The recipient of a one-time password.',
  extensions: carryRules(otpRules),
  fields: (t) => ({
    email: t.string({ required: true, description: 'Email address, at most 254 characters.' }),
  }),
});

const verifyRules = defineRules({ schema: z.object({ requestId: z.guid(), code: codeSchema }) });

const VerifyOtpInput = builder.inputType('VerifyOtpInput', {
  description: 'A one-time password that was received by email.',
  extensions: carryRules(verifyRules),
  fields: (t) => ({
    requestId: t.field({ type: 'UUID', required: true, description: 'The `requestId` that requestOtp returned.' }),
    code: t.string({ required: true, description: '6 digits.' }),
  }),
});

const CardUserRef = builder.objectRef<CardLogin['user']>('CardUser').implement({
  description: 'A wallet user.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    email: t.exposeString('email', { description: 'Email address, in lower case.' }),
    displayName: t.exposeString('displayName', { nullable: true, description: 'Name of the user.' }),
  }),
});

const CardLoginRef = builder.objectRef<CardLogin>('CardLogin').implement({
  description: 'An access token of the card API.',
  fields: (t) => ({
    accessToken: t.string({
      description: 'A JWT of the audience `card`, for the header `Authorization: Bearer`.',
      resolve: ({ issued }) => issued.token,
    }),
    tokenType: t.string({ description: 'The token type, which is always `Bearer`.', resolve: () => 'Bearer' }),
    expiresIn: t.int({
      description: 'Lifetime of the token, in seconds.',
      resolve: ({ issued }) => issued.expiresInSeconds,
    }),
    user: t.field({ type: CardUserRef, description: 'The user who logged in.', resolve: ({ user }) => user }),
  }),
});

builder.mutationField('requestOtp', (t) =>
  t.field({
    type: OtpRequestRef,
    description: 'Emails a one-time password. Limited by email address and by IP address.',
    authScopes: { public: true },
    args: { input: t.arg({ type: RequestOtpInput, required: true, description: 'The recipient of the code.' }) },
    resolve: (_root, { input }, context) => {
      const { email } = checked(context, otpRules, input);
      return requestOneTimePassword(byRealTime(context.world), {
        purpose: 'CARD',
        email,
        networkAddress: context.address,
      });
    },
  }),
);

builder.mutationField('verifyOtp', (t) =>
  t.field({
    type: CardLoginRef,
    description:
      'Logs a wallet user in, and creates the user at the first login. AUTHENTICATION_ERROR if the code is wrong, used or expired.',
    authScopes: { public: true },
    args: { input: t.arg({ type: VerifyOtpInput, required: true, description: 'The code.' }) },
    resolve: (_root, { input }, context) =>
      logInCardUser(byRealTime(context.world), checked(context, verifyRules, input)),
  }),
);
