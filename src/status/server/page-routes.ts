import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './app-options.ts';
import { printable } from '../../lib/text/printable.ts';
import { send } from './answers.ts';
import { pagePaths } from './page-files.ts';
import { renderPage } from './page-files.ts';

type PageRouteOptions = Pick<AppOptions, 'snapshot' | 'page' | 'version' | 'rulesOf'>;

/** Accepts gzip, and not with `q=0`. */
const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/i;

/** The page with its headline already in it, its files, and the token that lets it change things. */
export function addPageRoutes(app: FastifyInstance, options: PageRouteOptions): void {
  const { snapshot, page, version, rulesOf } = options;
  app.get('/', async (_request, reply) => {
    const built = await page();
    if (built === null) {
      return send(reply, 503, { code: 'not-built', message: 'the page is not built; run: npm run build' });
    }
    const { headline, progress, health } = snapshot.status();
    const texts = { headline: printable(headline), progress, health, version };
    const text = renderPage(built.template, texts);
    return reply.type('text/html; charset=utf-8').send(text);
  });
  for (const path of pagePaths) {
    // The login uses the page's style.
    const access = path.endsWith('.js') ? 'guarded' : 'open';
    app.get(path, { config: { access } }, async ({ headers }, reply) => {
      const file = (await page())?.files.get(path);
      if (file === undefined) return reply.callNotFound();
      reply.type(file.type).header('vary', 'accept-encoding');
      if (!takesGzip.test(headers['accept-encoding'] ?? '')) return reply.send(file.body);
      return reply.header('content-encoding', 'gzip').send(file.packed);
    });
  }
  app.get('/api/token', (request) => ({ token: rulesOf(request.raw)?.pageToken ?? null }));
}
