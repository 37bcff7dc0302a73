/**
 * A member: a person of a merchant, known by a mail address, who logs in to the dashboard with a one-time password.
 *
 * | role | may |
 * |---|---|
 * | OWNER | everything, and make apps, invite and remove members |
 * | DEVELOPER | everything but that |
 * | VIEWER | read |
 *
 * Invited (`invitedAt`) ──first login──► joined (`joinedAt`) ──removed──► `removedAt`; an invitation again brings a
 * removed one back. A merchant keeps at least one owner: nobody could invite any more. Making payment intents takes a
 * secret key, whatever the role.
 */
import { z } from 'zod';

export const memberRoles = ['OWNER', 'DEVELOPER', 'VIEWER'] as const;
export type MemberRole = (typeof memberRoles)[number];

export const MEMBERS_LIMIT = 500;

/** As RFC 5321 bounds an address. */
export const emailSchema = z.email('a mail address').max(254, 'at most 254 characters');
