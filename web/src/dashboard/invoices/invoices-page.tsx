/** The list of invoices, filtered by status and customer. */
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'wouter';
import { InvoiceListDocument } from '../../../../generated/web/documents.ts';
import { buttonClass } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Icon } from '../../ui/icon.tsx';
import { Status } from '../../ui/state/status.tsx';
import { Time } from '../../ui/state/time.tsx';
import { customerName } from '../resources/customer-name.ts';
import { FilterSelect } from '../resources/filter-select.tsx';
import { isBare, ResourceList } from '../resources/resource-list.tsx';
import { useAskPages } from '../resources/use-ask-pages.ts';
import { useFilter } from '../resources/use-filter.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';

const statuses = ['DRAFT', 'OPEN', 'PAID', 'PAST_DUE', 'VOID', 'UNCOLLECTIBLE'] as const;

export function InvoicesPage() {
  const { t } = useTranslation();
  const formats = useFormats();
  const { app, mayWrite } = useDashboard();
  const [status, setStatus] = useFilter('status', statuses);
  const [search] = useSearchParams();
  const customerAccountId = search.get('customer');
  const list = useAskPages(
    InvoiceListDocument,
    { appId: app.id, ...(status ? { status } : {}), ...(customerAccountId ? { customerAccountId } : {}) },
    (result) => result.invoices,
  );
  const create = mayWrite && (
    <Link href="/invoices/new" className={buttonClass({ look: 'primary' })}>
      <Icon name="plus" /> {t('invoices.new')}
    </Link>
  );
  return (
    <PageFrame
      title={t('invoices.title')}
      about={t('invoices.about')}
      actions={!isBare(list, status !== undefined || customerAccountId !== null) && create}
    >
      <ResourceList
        caption={t('invoices.title')}
        {...list}
        wayOf={(invoice) => `/invoices/${invoice.id}`}
        isFiltered={status !== undefined || customerAccountId !== null}
        filters={
          <FilterSelect
            label={t('catalog.state')}
            all={t('invoices.allStates')}
            value={status}
            onChange={setStatus}
            options={statuses.map((value) => ({ value, words: t(`everywhere.status.${value}`) }))}
          />
        }
        empty={{
          title: t('invoices.empty'),
          about: t('invoices.emptyMore'),
          actions: create,
        }}
        columns={[
          {
            key: 'number',
            head: t('invoices.number'),
            cell: (invoice) => invoice.invoiceNumber ?? t('invoices.noNumber'),
          },
          { key: 'customer', head: t('invoices.customer'), cell: (invoice) => customerName(invoice.customerAccount) },
          {
            key: 'status',
            isCorner: true,
            head: t('catalog.state'),
            cell: (invoice) => <Status status={invoice.status} />,
          },
          {
            key: 'due',
            head: t('invoices.due'),
            isWide: true,
            cell: (invoice) => (invoice.dueDate ? formats.dayUtc(new Date(invoice.dueDate)) : '–'),
          },
          {
            key: 'created',
            head: t('catalog.created'),
            isWide: true,
            cell: (invoice) => <Time at={invoice.createdAt} />,
          },
          {
            key: 'total',
            head: t('invoices.total'),
            align: 'end',
            cell: (invoice) => formats.fiat(invoice.total, invoice.currency),
          },
        ]}
      />
    </PageFrame>
  );
}
