/** The context of every page of the dashboard: the member, the app, and how to send requests. */
import { createContext, useContext } from 'react';
import type { DashboardViewerQuery } from '../../../../generated/web/documents.ts';
import type { Credential } from '../../api/ask.ts';
import type { LiveConnection } from '../../api/live.ts';
import type { FailedCalls } from './send-once.ts';

export type DashboardMember = NonNullable<DashboardViewerQuery['viewer']['member']>;
export type DashboardApp = DashboardViewerQuery['apps'][number];
export type Role = DashboardMember['role'];

export type Dashboard = {
  credential: Credential;
  /** Subscriptions over one WebSocket. */
  live: LiveConnection;
  failedCalls: FailedCalls;
  member: DashboardMember;
  /** Only for convenience: the API refuses what is not allowed. */
  mayWrite: boolean;
  isOwner: boolean;
  app: DashboardApp;
  apps: readonly DashboardApp[];
  chooseApp: (appId: string) => void;
  logOut: (everywhere: boolean) => Promise<void>;
};

export const DashboardContext = createContext<Dashboard | undefined>(undefined);

export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext);
  if (!dashboard) throw new Error('This stands outside of the dashboard.');
  return dashboard;
}
