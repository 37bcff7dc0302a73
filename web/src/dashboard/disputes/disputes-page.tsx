/** The disputes of the app, newest first. */
import { useTranslation } from 'react-i18next';
import { DisputeListDocument } from '../../../../generated/web/documents.ts';
import { Deadline } from '../../disputes/deadline.tsx';
import { Amount } from '../../ui/amounts/amount.tsx';
import { Status } from '../../ui/state/status.tsx';
import { Time } from '../../ui/state/time.tsx';
import { FilterSelect } from '../resources/filter-select.tsx';
import { ResourceList } from '../resources/resource-list.tsx';
import { useAskPages } from '../resources/use-ask-pages.ts';
import { useFilter } from '../resources/use-filter.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';

export function DisputesPage() {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const [shown, show] = useFilter('show', ['open'] as const);
  const list = useAskPages(
    DisputeListDocument,
    { appId: app.id, ...(shown === 'open' ? { status: ['OPEN' as const] } : {}) },
    (result) => result.disputes,
  );
  return (
    <PageFrame title={t('disputes.title')} about={t('disputes.about')}>
      <ResourceList
        caption={t('disputes.title')}
        {...list}
        isFiltered={shown === 'open'}
        wayOf={({ id }) => `/disputes/${id}`}
        filters={
          <FilterSelect
            label={t('disputes.show')}
            all={t('disputes.all')}
            value={shown}
            onChange={show}
            options={[{ value: 'open', words: t('disputes.open') }]}
          />
        }
        empty={{
          title: t('disputes.empty'),
          about: t('disputes.emptyMore'),
        }}
        columns={[
          { key: 'payment', head: t('disputes.columns.payment'), cell: ({ payment }) => <Amount fiat={payment} /> },
          { key: 'reason', head: t('disputes.columns.reason'), isWide: true, cell: ({ reason }) => reason },
          {
            key: 'deadline',
            head: t('disputes.columns.deadline'),
            cell: ({ status, deadline }) => status === 'OPEN' && <Deadline at={deadline} />,
          },
          {
            key: 'state',
            isCorner: true,
            head: t('disputes.columns.state'),
            cell: ({ status }) => <Status status={status} {...(status === 'OPEN' ? { tone: 'bad' } : {})} />,
          },
          {
            key: 'opened',
            head: t('disputes.columns.opened'),
            isWide: true,
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
        ]}
      />
    </PageFrame>
  );
}
