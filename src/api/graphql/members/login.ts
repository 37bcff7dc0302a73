/** The dashboard's login: the mutations requestLogin, verifyLogin and logout. */
import { z } from 'zod';
import { type Login, logIn } from '../../../auth/members/log-in.ts';
import { logOut } from '../../../auth/members/log-out.ts';
import { requestOneTimePassword } from '../../../auth/one-time-password/request-one-time-password.ts';
import { codeSchema, OtpRequestRef, otpRules } from '../card/one-time-password.ts';
import { builder } from '../server/builder.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { refusal } from '../server/scope-of.ts';
import { byRealTime } from '../server/world.ts';
import { MemberRef } from './member.ts';

const RequestLoginInput = builder.inputType('RequestLoginInput', {
  description: 'Input for requesting a login to the dashboard.',
  extensions: carryRules(otpRules),
  fields: (t) => ({
    email: t.string({ required: true, description: 'The invited email address, at most 254 characters.' }),
  }),
});

const verifyRules = defineRules({
  schema: z.object({ requestId: z.guid(), code: codeSchema, merchantId: z.guid().nullish() }),
});

const VerifyLoginInput = builder.inputType('VerifyLoginInput', {
  description: 'A one-time password that was received by email.',
  extensions: carryRules(verifyRules),
  fields: (t) => ({
    requestId: t.field({ type: 'UUID', required: true, description: 'The `requestId` that requestLogin returned.' }),
    code: t.string({ required: true, description: '6 digits.' }),
    merchantId: t.field({ type: 'UUID', description: 'Required for a member of several merchants.' }),
  }),
});

const MemberLoginRef = builder.objectRef<Login>('MemberLogin').implement({
  description: 'A dashboard token.',
  fields: (t) => ({
    accessToken: t.string({
      description: 'A JWT of the audience `dashboard`, for the header `Authorization: Bearer`.',
      resolve: ({ issued }) => issued.token,
    }),
    tokenType: t.string({ description: 'The token type, which is always `Bearer`.', resolve: () => 'Bearer' }),
    expiresIn: t.int({
      description: 'Lifetime of the token, in seconds.',
      resolve: ({ issued }) => issued.expiresInSeconds,
    }),
    member: t.field({ type: MemberRef, description: 'The user who logged in.', resolve: ({ member }) => member }),
  }),
});

const LogoutInput = builder.inputType('LogoutInput', {
  description: 'Input for logging out.',
  fields: (t) => ({
    everywhere: t.boolean({
      description: 'Whether to end all logins of the member instead of only this one. Defaults to false.',
    }),
  }),
});

builder.mutationField('requestLogin', (t) =>
  t.field({
    type: OtpRequestRef,
    description:
      'Emails a one-time password to a member. For any other address, the response is the same, but no email is sent.',
    authScopes: { public: true },
    args: { input: t.arg({ type: RequestLoginInput, required: true, description: 'The member.' }) },
    resolve: (_root, { input }, context) => {
      const { email } = checked(context, otpRules, input);
      return requestOneTimePassword(byRealTime(context.world), {
        purpose: 'DASHBOARD',
        email,
        networkAddress: context.address,
      });
    },
  }),
);

builder.mutationField('verifyLogin', (t) =>
  t.field({
    type: MemberLoginRef,
    description:
      'Logs a member in. AUTHENTICATION_ERROR if the code is wrong, used or expired. CONFLICT if the member belongs to several merchants and `merchantId` is missing; the code can then be used again.',
    authScopes: { public: true },
    args: { input: t.arg({ type: VerifyLoginInput, required: true, description: 'The code.' }) },
    resolve: (_root, { input }, context) => logIn(byRealTime(context.world), checked(context, verifyRules, input)),
  }),
);

builder.mutationField('logout', (t) =>
  t.boolean({
    description:
      'Ends the login. Writes are refused at once, reads in other processes within a second, and open streams are closed within two seconds. Always returns true.',
    authScopes: { member: true },
    args: { input: t.arg({ type: LogoutInput, description: 'Input for logging out.' }) },
    resolve: async (_root, { input }, context) => {
      const { principal } = context;
      if (principal.kind !== 'member') throw refusal(principal);
      const { memberId, sessionId } = principal;
      await logOut(byRealTime(context.world), { memberId, sessionId, everywhere: input?.everywhere ?? false });
      return true;
    },
  }),
);
