/** The HTML of every mail: one card that is readable at any width, in light and dark, and loads nothing but the logo. */
import { escapeHtml } from './mail.ts';

type Colors = { accent: string; onAccent: string };

/** The sender in whose name the mail is sent. */
export type MailLook = {
  name: string;
  /** Absolute; null without a logo. */
  logoUrl: string | null;
  /** The accent color and the color of text on it, for the light and the dark card. */
  light: Colors;
  dark: Colors;
};

/** An amount stays on one line; other values break wherever they must. */
export type MailRow = { label: string; value: string; url?: string | null; isAmount?: boolean; isTotal?: boolean };
export type MailLink = { label: string; url: string };

/** The contents of a mail, from top to bottom. Texts are plain, and line breaks are kept. */
export type MailBlock =
  | { kind: 'text'; text: string }
  | { kind: 'rows'; rows: readonly MailRow[] }
  | { kind: 'code'; code: string }
  | { kind: 'action'; action: MailLink };

type MailPage = {
  language: string;
  subject: string;
  title: string;
  look: MailLook;
  blocks: readonly MailBlock[];
  footer: readonly string[];
  /** A link at the end of the footer. */
  footerLink?: MailLink | null;
};

export const mailCards = { light: '#ffffff', dark: '#1f2228' } as const;

/** The default colors, which are readable on both cards. */
const plainColors: Colors = { accent: '#1f5eff', onAccent: '#ffffff' };

/** The installation's own look, for mails that belong to no app. */
export const plainLook: MailLook = { name: 'Sluice', logoUrl: null, light: plainColors, dark: plainColors };

export function mailPage({ language, subject, title, look, blocks, footer, footerLink = null }: MailPage): string {
  const { light, dark } = look;
  const end = [
    footer.map(escapeHtml).join('<br>'),
    footerLink &&
      `<a href="${escapeHtml(footerLink.url)}" class="quiet" style="color:#5c6370">${escapeHtml(footerLink.label)}</a>`,
  ].filter(Boolean);
  const logo =
    look.logoUrl === null
      ? ''
      : `<img src="${escapeHtml(look.logoUrl)}" alt="" height="40" style="display:block;height:40px;max-width:200px;margin-bottom:8px">`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>:root{color-scheme:light dark}@media (prefers-color-scheme:dark){.page{background:#15171b!important}.card{background:${mailCards.dark}!important;color:#eceef2!important}.quiet{color:#a7adb8!important}.card{border-top-color:${dark.accent}!important}.action{background:${dark.accent}!important;color:${dark.onAccent}!important}}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f3f4f6">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f4f6"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:${mailCards.light};color:#16181d;border-top:4px solid ${light.accent};font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:15px;line-height:1.5"><tr><td style="padding:24px">
${logo}<p style="margin:0 0 16px;font-weight:600">${escapeHtml(look.name)}</p>
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${escapeHtml(title)}</h1>
${blocks.map((block) => printBlock(block, light)).join('\n')}
${end.length === 0 ? '' : `<p class="quiet" style="margin:24px 0 0;font-size:13px;color:#5c6370">${end.join(' ')}</p>`}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

function printBlock(block: MailBlock, { accent, onAccent }: Colors): string {
  switch (block.kind) {
    case 'text':
      return `<p style="margin:0 0 16px;overflow-wrap:anywhere">${escapeHtml(block.text).replaceAll('\n', '<br>')}</p>`;
    case 'rows':
      return block.rows.length === 0
        ? ''
        : `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 16px;font-size:14px">${block.rows.map(printRow).join('\n')}</table>`;
    case 'code':
      return `<p style="margin:0 0 16px;font-size:28px;line-height:1.3;letter-spacing:4px;font-family:ui-monospace,Menlo,Consolas,monospace"><strong>${escapeHtml(block.code)}</strong></p>`;
    case 'action':
      return `<p style="margin:0 0 16px"><a href="${escapeHtml(block.action.url)}" class="action" style="display:inline-block;padding:12px 20px;background:${accent};color:${onAccent};text-decoration:none;font-weight:600">${escapeHtml(block.action.label)}</a></p>`;
    default:
      return block satisfies never;
  }
}

function printRow({ label, value, url, isAmount = false, isTotal = false }: MailRow): string {
  const shown = escapeHtml(value);
  const cell = url ? `<a href="${escapeHtml(url)}" style="color:inherit">${shown}</a>` : shown;
  const wrapping = isAmount ? 'white-space:nowrap' : 'word-break:break-word';
  const weight = isTotal ? ';font-weight:600' : '';
  return `<tr><td class="quiet" style="padding:6px 16px 6px 0;vertical-align:top;color:#5c6370">${escapeHtml(label)}</td><td style="padding:6px 0;vertical-align:top;text-align:right;${wrapping}${weight}">${cell}</td></tr>`;
}
