/**
 * A member is a person of a merchant, identified by an email address, who logs in to the dashboard with a one-time password.
 *
 * | role | rights |
 * |---|---|
 * | OWNER | everything, including creating apps and inviting and removing members |
 * | DEVELOPER | everything else |
 * | VIEWER | reading |
 *
 * Invited (`invitedAt`) ──first login──► joined (`joinedAt`) ──removed──► `removedAt`. Another invitation restores a removed member. A
 * merchant always keeps at least one owner, because otherwise nobody could invite members. Creating payment intents requires a secret
 * key, regardless of the role.
 */
import { z } from 'zod';

export const memberRoles = ['OWNER', 'DEVELOPER', 'VIEWER'] as const;
export type MemberRole = (typeof memberRoles)[number];

export const MEMBERS_LIMIT = 500;

/** An email address of at most the length that RFC 5321 allows. */
export const emailSchema = z.email('a mail address').max(254, 'at most 254 characters');
