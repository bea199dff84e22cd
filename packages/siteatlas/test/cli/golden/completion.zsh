#compdef siteatlas
# Completion of siteatlas for zsh.
_siteatlas() {
  local -a commands=(
    'ls:list its pages'
    'tree:show its sitemaps as a tree'
    'find:show where its sitemaps are'
    'stats:show sections, dates, languages and problems'
    'lint:find mistakes in its sitemaps and robots.txt'
    'check:request its pages and find those that are broken'
    'report:write a report with charts as one HTML file'
    'robots:show its robots.txt, or test a URL against it'
    'compare:compare its pages with a crawl, a log or a list'
    'sync:report what changed since the last sync'
    'watch:sync repeatedly; pass changes to a command'
    'diff:compare two snapshots'
    'snapshot:show what a snapshot contains, or write its pages'
    'parse:read sitemaps and feeds from files or stdin'
    'completion:print a completion script (bash, zsh or fish)'
    'help:show help on a command or topic'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  if (( CURRENT > 3 )); then
    case "$command $words[3]" in
      'snapshot show'|'snapshot export') command="$command $words[3]" ;;
    esac
  fi
  shift words
  (( CURRENT-- ))
  case $command in
      'ls')
        _arguments \
        {-o,--output=}'[write to FILE; the extension sets the format]:file:_files' \
        {-f,--format=}'[urls, ndjson, json, csv, tsv, tree, parquet or sqlite (default\: a listing on a terminal, urls in a pipe)]:value:(urls ndjson json csv tsv tree parquet sqlite)' \
        --json'[print one JSON object per page (same as -f ndjson)]' \
        --fields='[fields to write, in the given order\: url,lastmod,title (all\: siteatlas help fields)]:value:_values -s , value url lastmod lastmod_precision lastmod_text changefreq priority sitemap site kind lang title section published published_precision published_text url_text feed_url mobile news images videos alternates media page_map' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        --ordered'[keep the order in which the site declares pages (holds all pages in memory until the end)]' \
        --csv-raw'[do not escape values that a spreadsheet could run as a formula (csv, tsv)]' \
        --include='[only pages that match\: '\''/blog/*'\''; can be repeated]:value: ' \
        --exclude='[skip pages that match\: '\''*.pdf'\''; can be repeated]:value: ' \
        --since='[only pages modified or published since DATE\: 2026-11-01, 7d; skips undated pages]:value: ' \
        --kind='[only pages of these kinds\: news,image,video,feed,page]:value:_values -s , value news image video feed page' \
        --limit='[stop after N pages and exit with code 0]:value: ' \
        --sample='[pick N pages by URL hash; stable between runs]:value: ' \
        --unique'[print each URL once (keeps all URLs in memory)]' \
        --lang='[only pages in these languages\: de,fr (from news and hreflang data); de includes de-AT]:value: ' \
        --stratify='[with --sample\: pick the same number from each group, which is a sitemap (sitemap) or a first path segment such as /blog (path)]:value:(path sitemap)' \
        --rewrite-origin='[print page URLs with this origin instead of the site'\''s\: https\://staging.example.com]:value: ' \
        {-u,--strip-url}'[remove the site'\''s URL from the start of every line]' \
        --include-sitemap='[only pages of sitemaps that match, and of sitemaps below them\: '\''*news*'\''; can be repeated]:value: ' \
        --exclude-sitemap='[do not fetch sitemaps that match; can be repeated]:value: ' \
        --fail-on-partial'[exit with code 4 if a sitemap failed or was truncated]' \
        --no-robots'[do not read robots.txt]' \
        --known='[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]' \
        --known-path='[also try PATH, such as /feeds/all.xml; can be repeated]:value: ' \
        --homepage-links='[look for sitemap links on the homepage\: always, never or when-empty, that is, if no page was found before (default\: when-empty)]:value:(always when-empty never)' \
        --no-normalize'[start at exactly the given URL, not at the root of its site]' \
        --cross-host='[sitemaps on other hosts\: follow (read all), same-site (only the same registrable domain) or none (default\: follow)]:value:(follow same-site none)' \
        --html-sitemaps'[also read HTML sitemaps\: the links of pages such as /sitemap.html]' \
        --llms'[also read /llms.txt\: its links, with their sections]' \
        --strict'[repair nothing\: drop invalid entries, and reject files that are not well-formed]' \
        {-H,--header=}'[send a header, to this site only; can be repeated]:value: ' \
        --auth='[user and password (HTTP Basic), for this site only]:value: ' \
        {-A,--user-agent=}'[User-Agent header (default\: siteatlas/VERSION)]:value: ' \
        --auth-file='[read --auth from the first line of FILE, so that the password does not appear in the process list]:file:_files' \
        --proxy='[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]:value: ' \
        --no-proxy'[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]' \
        --cacert='[also trust the certificate authorities in FILE (PEM)]:file:_files' \
        --insecure'[do not verify the certificate of the given host; unsafe]' \
        --https-only'[refuse URLs and redirects with plain http]' \
        --allow='[allow requests to this private host, host\:port or range (10.1.0.0/16); can be repeated]:value: ' \
        --allow-private'[allow requests to all private addresses except link-local ones and cloud metadata services]' \
        --delay='[shortest time between requests to a host (default\: 0)]:value: ' \
        --concurrency='[requests in flight per site (default\: 2)]:value: ' \
        --random-delay='[add a random wait of up to TIME to --delay (default\: 0)]:value: ' \
        --crawl-delay'[obey Crawl-delay in robots.txt]' \
        --respect-robots'[do not fetch sitemaps that robots.txt disallows]' \
        {-j,--jobs=}'[sites read at the same time (default\: 8)]:value: ' \
        --deadline='[total time (1h)]:value: ' \
        --max-pages='[pages; with exit code 7 if there are more (none)]:value: ' \
        --max-sitemaps='[sitemaps requested, including robots.txt and known locations (50,000)]:value: ' \
        --max-depth='[levels of nesting; robots.txt is level 0 (11)]:value: ' \
        --max-indexes='[sitemap indexes (500)]:value: ' \
        --max-places='[positions in the sitemap tree; a sitemap listed by three indexes has three (100,000)]:value: ' \
        --max-held-bytes='[memory for sitemaps that are listed but not read yet, and for issues (64MiB)]:value: ' \
        --max-held-ratio='[the memory that --max-held-bytes limits, in bytes per downloaded byte (400)]:value: ' \
        --max-foreign-hosts='[hosts outside the site'\''s registrable domain (10)]:value: ' \
        --max-total-bytes='[downloaded bytes (10GiB)]:value: ' \
        --max-total-decoded-bytes='[bytes after decompression (40GiB)]:value: ' \
        --max-children='[sitemaps that an index lists (50,000)]:value: ' \
        --max-robots-sitemaps='[Sitemap lines in robots.txt (5,000)]:value: ' \
        --max-barren-children='[empty sitemaps in a row; the rest of the index is then skipped (200)]:value: ' \
        --max-pages-per-sitemap='[pages (1,000,000)]:value: ' \
        --max-bytes='[downloaded bytes (100MiB)]:value: ' \
        --max-decoded-bytes='[bytes after decompression (100MiB)]:value: ' \
        --max-compression-ratio='[decompressed bytes per downloaded byte (1,000)]:value: ' \
        --max-cpu='[CPU time for parsing (10s)]:value: ' \
        --retries='[retries after a temporary failure (2)]:value: ' \
        --backoff='[longest wait before the first retry; doubles for each further retry (1s)]:value: ' \
        --timeout='[time for the whole request, including the body (5m)]:value: ' \
        --headers-timeout='[time until the response headers are complete (30s)]:value: ' \
        --idle-timeout='[longest pause within a body (30s)]:value: ' \
        --min-speed='[lowest average download speed, per second; a slower response is cut off (1KiB)]:value: ' \
        --max-redirects='[redirects (10)]:value: ' \
        --max-retry-after='[longest wait for Retry-After; a longer one is shortened to this (2m)]:value: ' \
        --max-crawl-delay='[longest wait for Crawl-delay; a longer one is shortened to this (30s)]:value: ' \
        --max-element-depth='[nested XML elements (64)]:value: ' \
        --max-attributes='[attributes per tag (256)]:value: ' \
        --max-namespaces='[namespace declarations per tag (64)]:value: ' \
        --max-name-bytes='[bytes of an element or attribute name (1KiB)]:value: ' \
        --max-token-bytes='[bytes of a tag, a value or a line of text (64KiB)]:value: ' \
        --max-text-length='[characters of a title, caption or other text; the rest is cut (4,096)]:value: ' \
        --max-url-length='[characters of a URL (8,192)]:value: ' \
        --max-images='[images per page (1,000)]:value: ' \
        --max-videos='[videos per page (100)]:value: ' \
        --max-alternates='[alternates per page, for other languages or devices (1,000)]:value: ' \
        --max-gzip-members='[members of a gzip file (1,000)]:value: ' \
        --max-compression-layers='[layers of compression, such as gzip inside gzip (3)]:value: ' \
        --max-issues='[issues kept per document, at most a tenth of them with the same code (100)]:value: ' \
        --max-robots-bytes='[bytes of robots.txt that are searched for rules (500KiB)]:value: ' \
        --max-robots-line-bytes='[bytes of a line of robots.txt (16,664)]:value: ' \
        {-v,--verbose}'[show which sitemaps failed and why; -vv\: every event]' \
        {-q,--quiet}'[only errors, and one line if data is missing]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:url: '
        ;;
      'tree')
        _arguments \
        --include-sitemap='[fetch only sitemaps that match, and those that they list\: '\''*news*'\''; can be repeated]:value: ' \
        --exclude-sitemap='[do not fetch sitemaps that match; can be repeated]:value: ' \
        --json'[print one JSON object per sitemap]' \
        {-o,--output=}'[write to FILE; the extension sets the format]:file:_files' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        --fail-on-partial'[exit with code 4 if a sitemap failed or was truncated]' \
        --no-robots'[do not read robots.txt]' \
        --known='[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]' \
        --known-path='[also try PATH, such as /feeds/all.xml; can be repeated]:value: ' \
        --homepage-links='[look for sitemap links on the homepage\: always, never or when-empty, that is, if no page was found before (default\: when-empty)]:value:(always when-empty never)' \
        --no-normalize'[start at exactly the given URL, not at the root of its site]' \
        --cross-host='[sitemaps on other hosts\: follow (read all), same-site (only the same registrable domain) or none (default\: follow)]:value:(follow same-site none)' \
        --html-sitemaps'[also read HTML sitemaps\: the links of pages such as /sitemap.html]' \
        --llms'[also read /llms.txt\: its links, with their sections]' \
        --strict'[repair nothing\: drop invalid entries, and reject files that are not well-formed]' \
        {-H,--header=}'[send a header, to this site only; can be repeated]:value: ' \
        --auth='[user and password (HTTP Basic), for this site only]:value: ' \
        {-A,--user-agent=}'[User-Agent header (default\: siteatlas/VERSION)]:value: ' \
        --auth-file='[read --auth from the first line of FILE, so that the password does not appear in the process list]:file:_files' \
        --proxy='[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]:value: ' \
        --no-proxy'[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]' \
        --cacert='[also trust the certificate authorities in FILE (PEM)]:file:_files' \
        --insecure'[do not verify the certificate of the given host; unsafe]' \
        --https-only'[refuse URLs and redirects with plain http]' \
        --allow='[allow requests to this private host, host\:port or range (10.1.0.0/16); can be repeated]:value: ' \
        --allow-private'[allow requests to all private addresses except link-local ones and cloud metadata services]' \
        --delay='[shortest time between requests to a host (default\: 0)]:value: ' \
        --concurrency='[requests in flight per site (default\: 2)]:value: ' \
        --random-delay='[add a random wait of up to TIME to --delay (default\: 0)]:value: ' \
        --crawl-delay'[obey Crawl-delay in robots.txt]' \
        --respect-robots'[do not fetch sitemaps that robots.txt disallows]' \
        --deadline='[total time (1h)]:value: ' \
        --max-pages='[pages; with exit code 7 if there are more (none)]:value: ' \
        --max-sitemaps='[sitemaps requested, including robots.txt and known locations (50,000)]:value: ' \
        --max-depth='[levels of nesting; robots.txt is level 0 (11)]:value: ' \
        --max-indexes='[sitemap indexes (500)]:value: ' \
        --max-places='[positions in the sitemap tree; a sitemap listed by three indexes has three (100,000)]:value: ' \
        --max-held-bytes='[memory for sitemaps that are listed but not read yet, and for issues (64MiB)]:value: ' \
        --max-held-ratio='[the memory that --max-held-bytes limits, in bytes per downloaded byte (400)]:value: ' \
        --max-foreign-hosts='[hosts outside the site'\''s registrable domain (10)]:value: ' \
        --max-total-bytes='[downloaded bytes (10GiB)]:value: ' \
        --max-total-decoded-bytes='[bytes after decompression (40GiB)]:value: ' \
        --max-children='[sitemaps that an index lists (50,000)]:value: ' \
        --max-robots-sitemaps='[Sitemap lines in robots.txt (5,000)]:value: ' \
        --max-barren-children='[empty sitemaps in a row; the rest of the index is then skipped (200)]:value: ' \
        --max-pages-per-sitemap='[pages (1,000,000)]:value: ' \
        --max-bytes='[downloaded bytes (100MiB)]:value: ' \
        --max-decoded-bytes='[bytes after decompression (100MiB)]:value: ' \
        --max-compression-ratio='[decompressed bytes per downloaded byte (1,000)]:value: ' \
        --max-cpu='[CPU time for parsing (10s)]:value: ' \
        --retries='[retries after a temporary failure (2)]:value: ' \
        --backoff='[longest wait before the first retry; doubles for each further retry (1s)]:value: ' \
        --timeout='[time for the whole request, including the body (5m)]:value: ' \
        --headers-timeout='[time until the response headers are complete (30s)]:value: ' \
        --idle-timeout='[longest pause within a body (30s)]:value: ' \
        --min-speed='[lowest average download speed, per second; a slower response is cut off (1KiB)]:value: ' \
        --max-redirects='[redirects (10)]:value: ' \
        --max-retry-after='[longest wait for Retry-After; a longer one is shortened to this (2m)]:value: ' \
        --max-crawl-delay='[longest wait for Crawl-delay; a longer one is shortened to this (30s)]:value: ' \
        --max-element-depth='[nested XML elements (64)]:value: ' \
        --max-attributes='[attributes per tag (256)]:value: ' \
        --max-namespaces='[namespace declarations per tag (64)]:value: ' \
        --max-name-bytes='[bytes of an element or attribute name (1KiB)]:value: ' \
        --max-token-bytes='[bytes of a tag, a value or a line of text (64KiB)]:value: ' \
        --max-text-length='[characters of a title, caption or other text; the rest is cut (4,096)]:value: ' \
        --max-url-length='[characters of a URL (8,192)]:value: ' \
        --max-images='[images per page (1,000)]:value: ' \
        --max-videos='[videos per page (100)]:value: ' \
        --max-alternates='[alternates per page, for other languages or devices (1,000)]:value: ' \
        --max-gzip-members='[members of a gzip file (1,000)]:value: ' \
        --max-compression-layers='[layers of compression, such as gzip inside gzip (3)]:value: ' \
        --max-issues='[issues kept per document, at most a tenth of them with the same code (100)]:value: ' \
        --max-robots-bytes='[bytes of robots.txt that are searched for rules (500KiB)]:value: ' \
        --max-robots-line-bytes='[bytes of a line of robots.txt (16,664)]:value: ' \
        {-v,--verbose}'[show which sitemaps failed and why; -vv\: every event]' \
        {-q,--quiet}'[only errors, and one line if data is missing]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:file:_files'
        ;;
      'find')
        _arguments \
        --include-sitemap='[fetch only sitemaps that match\: '\''*news*'\''; can be repeated]:value: ' \
        --exclude-sitemap='[do not fetch sitemaps that match; can be repeated]:value: ' \
        --json'[print one JSON object per sitemap]' \
        {-o,--output=}'[write to FILE; the extension sets the format]:file:_files' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        --fail-on-partial'[exit with code 4 if a sitemap failed or was truncated]' \
        --no-robots'[do not read robots.txt]' \
        --known='[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]' \
        --known-path='[also try PATH, such as /feeds/all.xml; can be repeated]:value: ' \
        --homepage-links='[look for sitemap links on the homepage\: always, never or when-empty, that is, if no sitemap was found before (default\: always)]:value:(always when-empty never)' \
        --no-normalize'[start at exactly the given URL, not at the root of its site]' \
        --cross-host='[sitemaps on other hosts\: follow (read all), same-site (only the same registrable domain) or none (default\: follow)]:value:(follow same-site none)' \
        --html-sitemaps'[also read HTML sitemaps\: the links of pages such as /sitemap.html]' \
        --llms'[also read /llms.txt\: its links, with their sections]' \
        --strict'[repair nothing\: drop invalid entries, and reject files that are not well-formed]' \
        {-H,--header=}'[send a header, to this site only; can be repeated]:value: ' \
        --auth='[user and password (HTTP Basic), for this site only]:value: ' \
        {-A,--user-agent=}'[User-Agent header (default\: siteatlas/VERSION)]:value: ' \
        --auth-file='[read --auth from the first line of FILE, so that the password does not appear in the process list]:file:_files' \
        --proxy='[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]:value: ' \
        --no-proxy'[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]' \
        --cacert='[also trust the certificate authorities in FILE (PEM)]:file:_files' \
        --insecure'[do not verify the certificate of the given host; unsafe]' \
        --https-only'[refuse URLs and redirects with plain http]' \
        --allow='[allow requests to this private host, host\:port or range (10.1.0.0/16); can be repeated]:value: ' \
        --allow-private'[allow requests to all private addresses except link-local ones and cloud metadata services]' \
        --delay='[shortest time between requests to a host (default\: 0)]:value: ' \
        --concurrency='[requests in flight per site (default\: 2)]:value: ' \
        --random-delay='[add a random wait of up to TIME to --delay (default\: 0)]:value: ' \
        --crawl-delay'[obey Crawl-delay in robots.txt]' \
        --respect-robots'[do not fetch sitemaps that robots.txt disallows]' \
        {-j,--jobs=}'[sites read at the same time (default\: 8)]:value: ' \
        --deadline='[total time (1h)]:value: ' \
        --max-pages='[pages; with exit code 7 if there are more (none)]:value: ' \
        --max-sitemaps='[sitemaps requested, including robots.txt and known locations (50,000)]:value: ' \
        --max-depth='[levels of nesting; robots.txt is level 0 (11)]:value: ' \
        --max-indexes='[sitemap indexes (500)]:value: ' \
        --max-places='[positions in the sitemap tree; a sitemap listed by three indexes has three (100,000)]:value: ' \
        --max-held-bytes='[memory for sitemaps that are listed but not read yet, and for issues (64MiB)]:value: ' \
        --max-held-ratio='[the memory that --max-held-bytes limits, in bytes per downloaded byte (400)]:value: ' \
        --max-foreign-hosts='[hosts outside the site'\''s registrable domain (10)]:value: ' \
        --max-total-bytes='[downloaded bytes (10GiB)]:value: ' \
        --max-total-decoded-bytes='[bytes after decompression (40GiB)]:value: ' \
        --max-children='[sitemaps that an index lists (50,000)]:value: ' \
        --max-robots-sitemaps='[Sitemap lines in robots.txt (5,000)]:value: ' \
        --max-barren-children='[empty sitemaps in a row; the rest of the index is then skipped (200)]:value: ' \
        --max-pages-per-sitemap='[pages (1,000,000)]:value: ' \
        --max-bytes='[downloaded bytes (100MiB)]:value: ' \
        --max-decoded-bytes='[bytes after decompression (100MiB)]:value: ' \
        --max-compression-ratio='[decompressed bytes per downloaded byte (1,000)]:value: ' \
        --max-cpu='[CPU time for parsing (10s)]:value: ' \
        --retries='[retries after a temporary failure (2)]:value: ' \
        --backoff='[longest wait before the first retry; doubles for each further retry (1s)]:value: ' \
        --timeout='[time for the whole request, including the body (5m)]:value: ' \
        --headers-timeout='[time until the response headers are complete (30s)]:value: ' \
        --idle-timeout='[longest pause within a body (30s)]:value: ' \
        --min-speed='[lowest average download speed, per second; a slower response is cut off (1KiB)]:value: ' \
        --max-redirects='[redirects (10)]:value: ' \
        --max-retry-after='[longest wait for Retry-After; a longer one is shortened to this (2m)]:value: ' \
        --max-crawl-delay='[longest wait for Crawl-delay; a longer one is shortened to this (30s)]:value: ' \
        --max-element-depth='[nested XML elements (64)]:value: ' \
        --max-attributes='[attributes per tag (256)]:value: ' \
        --max-namespaces='[namespace declarations per tag (64)]:value: ' \
        --max-name-bytes='[bytes of an element or attribute name (1KiB)]:value: ' \
        --max-token-bytes='[bytes of a tag, a value or a line of text (64KiB)]:value: ' \
        --max-text-length='[characters of a title, caption or other text; the rest is cut (4,096)]:value: ' \
        --max-url-length='[characters of a URL (8,192)]:value: ' \
        --max-images='[images per page (1,000)]:value: ' \
        --max-videos='[videos per page (100)]:value: ' \
        --max-alternates='[alternates per page, for other languages or devices (1,000)]:value: ' \
        --max-gzip-members='[members of a gzip file (1,000)]:value: ' \
        --max-compression-layers='[layers of compression, such as gzip inside gzip (3)]:value: ' \
        --max-issues='[issues kept per document, at most a tenth of them with the same code (100)]:value: ' \
        --max-robots-bytes='[bytes of robots.txt that are searched for rules (500KiB)]:value: ' \
        --max-robots-line-bytes='[bytes of a line of robots.txt (16,664)]:value: ' \
        {-v,--verbose}'[show which sitemaps failed and why; -vv\: every event]' \
        {-q,--quiet}'[only errors, and one line if data is missing]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:url: '
        ;;
      'stats')
        _arguments \
        --svg='[draw one chart as SVG\: sections, months, days, ages or languages (default\: no chart)]:value:(sections months days ages languages)' \
        --include='[only pages that match\: '\''/blog/*'\''; can be repeated]:value: ' \
        --exclude='[skip pages that match\: '\''*.pdf'\''; can be repeated]:value: ' \
        --since='[only pages modified or published since DATE\: 2026-11-01, 7d; skips undated pages]:value: ' \
        --kind='[only pages of these kinds\: news,image,video,feed,page]:value:_values -s , value news image video feed page' \
        --limit='[stop after N pages and exit with code 0]:value: ' \
        --unique'[count each URL once (keeps all URLs in memory)]' \
        --lang='[only pages in these languages\: de,fr (from news and hreflang data); de includes de-AT]:value: ' \
        --include-sitemap='[only pages of sitemaps that match, and of sitemaps below them\: '\''*news*'\''; can be repeated]:value: ' \
        --exclude-sitemap='[do not fetch sitemaps that match; can be repeated]:value: ' \
        --json'[print one JSON object with all numbers]' \
        {-o,--output=}'[write to FILE; the extension sets the format]:file:_files' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        --fail-on-partial'[exit with code 4 if a sitemap failed or was truncated]' \
        --no-robots'[do not read robots.txt]' \
        --known='[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]' \
        --known-path='[also try PATH, such as /feeds/all.xml; can be repeated]:value: ' \
        --homepage-links='[look for sitemap links on the homepage\: always, never or when-empty, that is, if no page was found before (default\: when-empty)]:value:(always when-empty never)' \
        --no-normalize'[start at exactly the given URL, not at the root of its site]' \
        --cross-host='[sitemaps on other hosts\: follow (read all), same-site (only the same registrable domain) or none (default\: follow)]:value:(follow same-site none)' \
        --html-sitemaps'[also read HTML sitemaps\: the links of pages such as /sitemap.html]' \
        --llms'[also read /llms.txt\: its links, with their sections]' \
        --strict'[repair nothing\: drop invalid entries, and reject files that are not well-formed]' \
        {-H,--header=}'[send a header, to this site only; can be repeated]:value: ' \
        --auth='[user and password (HTTP Basic), for this site only]:value: ' \
        {-A,--user-agent=}'[User-Agent header (default\: siteatlas/VERSION)]:value: ' \
        --auth-file='[read --auth from the first line of FILE, so that the password does not appear in the process list]:file:_files' \
        --proxy='[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]:value: ' \
        --no-proxy'[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]' \
        --cacert='[also trust the certificate authorities in FILE (PEM)]:file:_files' \
        --insecure'[do not verify the certificate of the given host; unsafe]' \
        --https-only'[refuse URLs and redirects with plain http]' \
        --allow='[allow requests to this private host, host\:port or range (10.1.0.0/16); can be repeated]:value: ' \
        --allow-private'[allow requests to all private addresses except link-local ones and cloud metadata services]' \
        --delay='[shortest time between requests to a host (default\: 0)]:value: ' \
        --concurrency='[requests in flight per site (default\: 2)]:value: ' \
        --random-delay='[add a random wait of up to TIME to --delay (default\: 0)]:value: ' \
        --crawl-delay'[obey Crawl-delay in robots.txt]' \
        --respect-robots'[do not fetch sitemaps that robots.txt disallows]' \
        --deadline='[total time (1h)]:value: ' \
        --max-pages='[pages; with exit code 7 if there are more (none)]:value: ' \
        --max-sitemaps='[sitemaps requested, including robots.txt and known locations (50,000)]:value: ' \
        --max-depth='[levels of nesting; robots.txt is level 0 (11)]:value: ' \
        --max-indexes='[sitemap indexes (500)]:value: ' \
        --max-places='[positions in the sitemap tree; a sitemap listed by three indexes has three (100,000)]:value: ' \
        --max-held-bytes='[memory for sitemaps that are listed but not read yet, and for issues (64MiB)]:value: ' \
        --max-held-ratio='[the memory that --max-held-bytes limits, in bytes per downloaded byte (400)]:value: ' \
        --max-foreign-hosts='[hosts outside the site'\''s registrable domain (10)]:value: ' \
        --max-total-bytes='[downloaded bytes (10GiB)]:value: ' \
        --max-total-decoded-bytes='[bytes after decompression (40GiB)]:value: ' \
        --max-children='[sitemaps that an index lists (50,000)]:value: ' \
        --max-robots-sitemaps='[Sitemap lines in robots.txt (5,000)]:value: ' \
        --max-barren-children='[empty sitemaps in a row; the rest of the index is then skipped (200)]:value: ' \
        --max-pages-per-sitemap='[pages (1,000,000)]:value: ' \
        --max-bytes='[downloaded bytes (100MiB)]:value: ' \
        --max-decoded-bytes='[bytes after decompression (100MiB)]:value: ' \
        --max-compression-ratio='[decompressed bytes per downloaded byte (1,000)]:value: ' \
        --max-cpu='[CPU time for parsing (10s)]:value: ' \
        --retries='[retries after a temporary failure (2)]:value: ' \
        --backoff='[longest wait before the first retry; doubles for each further retry (1s)]:value: ' \
        --timeout='[time for the whole request, including the body (5m)]:value: ' \
        --headers-timeout='[time until the response headers are complete (30s)]:value: ' \
        --idle-timeout='[longest pause within a body (30s)]:value: ' \
        --min-speed='[lowest average download speed, per second; a slower response is cut off (1KiB)]:value: ' \
        --max-redirects='[redirects (10)]:value: ' \
        --max-retry-after='[longest wait for Retry-After; a longer one is shortened to this (2m)]:value: ' \
        --max-crawl-delay='[longest wait for Crawl-delay; a longer one is shortened to this (30s)]:value: ' \
        --max-element-depth='[nested XML elements (64)]:value: ' \
        --max-attributes='[attributes per tag (256)]:value: ' \
        --max-namespaces='[namespace declarations per tag (64)]:value: ' \
        --max-name-bytes='[bytes of an element or attribute name (1KiB)]:value: ' \
        --max-token-bytes='[bytes of a tag, a value or a line of text (64KiB)]:value: ' \
        --max-text-length='[characters of a title, caption or other text; the rest is cut (4,096)]:value: ' \
        --max-url-length='[characters of a URL (8,192)]:value: ' \
        --max-images='[images per page (1,000)]:value: ' \
        --max-videos='[videos per page (100)]:value: ' \
        --max-alternates='[alternates per page, for other languages or devices (1,000)]:value: ' \
        --max-gzip-members='[members of a gzip file (1,000)]:value: ' \
        --max-compression-layers='[layers of compression, such as gzip inside gzip (3)]:value: ' \
        --max-issues='[issues kept per document, at most a tenth of them with the same code (100)]:value: ' \
        --max-robots-bytes='[bytes of robots.txt that are searched for rules (500KiB)]:value: ' \
        --max-robots-line-bytes='[bytes of a line of robots.txt (16,664)]:value: ' \
        {-v,--verbose}'[show which sitemaps failed and why; -vv\: every event]' \
        {-q,--quiet}'[only errors, and one line if data is missing]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:file:_files'
        ;;
      'lint')
        _arguments \
        --origin='[where the files will be published\: https\://example.com]:value: ' \
        --snapshot='[compare with a snapshot of siteatlas sync]:file:_files' \
        --fix'[show repairs of local files as a diff, where the repair is certain; lint nothing]' \
        --write'[with --fix\: change the files]' \
        --fail-on='[exit with code 5 on error or on warning, or never (default\: error)]:value:(error warning never)' \
        --rule='[set a severity (error, warning, info, off)\: '\''news.*=off'\''; can be repeated]:value: ' \
        --ignore='[ignore findings of a rule at URLs that match\: '\''url.tracking\:/shop/*'\''; can be repeated]:value: ' \
        --baseline='[report only findings that are not in FILE (see --update-baseline)]:file:_files' \
        --update-baseline'[write all findings to the file of --baseline, and exit with code 0]' \
        {-f,--format=}'[text, json, sarif, github, junit or markdown (default\: text)]:value:(text json sarif github junit markdown)' \
        --json'[print one JSON object (same as -f json)]' \
        {-o,--output=}'[write to FILE; the extension sets the format]:file:_files' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        --no-robots'[do not read robots.txt]' \
        --known='[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]' \
        --known-path='[also try PATH, such as /feeds/all.xml; can be repeated]:value: ' \
        --homepage-links='[look for sitemap links on the homepage\: always, never or when-empty, that is, if no page was found before (default\: when-empty)]:value:(always when-empty never)' \
        --no-normalize'[start at exactly the given URL, not at the root of its site]' \
        --cross-host='[sitemaps on other hosts\: follow (read all), same-site (only the same registrable domain) or none (default\: follow)]:value:(follow same-site none)' \
        --html-sitemaps'[also read HTML sitemaps\: the links of pages such as /sitemap.html]' \
        --llms'[also read /llms.txt\: its links, with their sections]' \
        --strict'[repair nothing\: drop invalid entries, and reject files that are not well-formed]' \
        {-H,--header=}'[send a header, to this site only; can be repeated]:value: ' \
        --auth='[user and password (HTTP Basic), for this site only]:value: ' \
        {-A,--user-agent=}'[User-Agent header (default\: siteatlas/VERSION)]:value: ' \
        --auth-file='[read --auth from the first line of FILE, so that the password does not appear in the process list]:file:_files' \
        --proxy='[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]:value: ' \
        --no-proxy'[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]' \
        --cacert='[also trust the certificate authorities in FILE (PEM)]:file:_files' \
        --insecure'[do not verify the certificate of the given host; unsafe]' \
        --https-only'[refuse URLs and redirects with plain http]' \
        --allow='[allow requests to this private host, host\:port or range (10.1.0.0/16); can be repeated]:value: ' \
        --allow-private'[allow requests to all private addresses except link-local ones and cloud metadata services]' \
        --delay='[shortest time between requests to a host (default\: 0)]:value: ' \
        --concurrency='[requests in flight per site (default\: 2)]:value: ' \
        --random-delay='[add a random wait of up to TIME to --delay (default\: 0)]:value: ' \
        --crawl-delay'[obey Crawl-delay in robots.txt]' \
        --respect-robots'[do not fetch sitemaps that robots.txt disallows]' \
        --deadline='[total time (1h)]:value: ' \
        --max-pages='[pages; with exit code 7 if there are more (none)]:value: ' \
        --max-sitemaps='[sitemaps requested, including robots.txt and known locations (50,000)]:value: ' \
        --max-depth='[levels of nesting; robots.txt is level 0 (11)]:value: ' \
        --max-indexes='[sitemap indexes (500)]:value: ' \
        --max-places='[positions in the sitemap tree; a sitemap listed by three indexes has three (100,000)]:value: ' \
        --max-held-bytes='[memory for sitemaps that are listed but not read yet, and for issues (64MiB)]:value: ' \
        --max-held-ratio='[the memory that --max-held-bytes limits, in bytes per downloaded byte (400)]:value: ' \
        --max-foreign-hosts='[hosts outside the site'\''s registrable domain (10)]:value: ' \
        --max-total-bytes='[downloaded bytes (10GiB)]:value: ' \
        --max-total-decoded-bytes='[bytes after decompression (40GiB)]:value: ' \
        --max-children='[sitemaps that an index lists (50,000)]:value: ' \
        --max-robots-sitemaps='[Sitemap lines in robots.txt (5,000)]:value: ' \
        --max-barren-children='[empty sitemaps in a row; the rest of the index is then skipped (200)]:value: ' \
        --max-pages-per-sitemap='[pages (1,000,000)]:value: ' \
        --max-bytes='[downloaded bytes (100MiB)]:value: ' \
        --max-decoded-bytes='[bytes after decompression (100MiB)]:value: ' \
        --max-compression-ratio='[decompressed bytes per downloaded byte (1,000)]:value: ' \
        --max-cpu='[CPU time for parsing (10s)]:value: ' \
        --retries='[retries after a temporary failure (2)]:value: ' \
        --backoff='[longest wait before the first retry; doubles for each further retry (1s)]:value: ' \
        --timeout='[time for the whole request, including the body (5m)]:value: ' \
        --headers-timeout='[time until the response headers are complete (30s)]:value: ' \
        --idle-timeout='[longest pause within a body (30s)]:value: ' \
        --min-speed='[lowest average download speed, per second; a slower response is cut off (1KiB)]:value: ' \
        --max-redirects='[redirects (10)]:value: ' \
        --max-retry-after='[longest wait for Retry-After; a longer one is shortened to this (2m)]:value: ' \
        --max-crawl-delay='[longest wait for Crawl-delay; a longer one is shortened to this (30s)]:value: ' \
        --max-element-depth='[nested XML elements (64)]:value: ' \
        --max-attributes='[attributes per tag (256)]:value: ' \
        --max-namespaces='[namespace declarations per tag (64)]:value: ' \
        --max-name-bytes='[bytes of an element or attribute name (1KiB)]:value: ' \
        --max-token-bytes='[bytes of a tag, a value or a line of text (64KiB)]:value: ' \
        --max-text-length='[characters of a title, caption or other text; the rest is cut (4,096)]:value: ' \
        --max-url-length='[characters of a URL (8,192)]:value: ' \
        --max-images='[images per page (1,000)]:value: ' \
        --max-videos='[videos per page (100)]:value: ' \
        --max-alternates='[alternates per page, for other languages or devices (1,000)]:value: ' \
        --max-gzip-members='[members of a gzip file (1,000)]:value: ' \
        --max-compression-layers='[layers of compression, such as gzip inside gzip (3)]:value: ' \
        --max-issues='[issues kept per document, at most a tenth of them with the same code (100)]:value: ' \
        --max-robots-bytes='[bytes of robots.txt that are searched for rules (500KiB)]:value: ' \
        --max-robots-line-bytes='[bytes of a line of robots.txt (16,664)]:value: ' \
        {-v,--verbose}'[show which sitemaps failed and why; -vv\: every event]' \
        {-q,--quiet}'[only errors, and one line if data is missing]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:file:_files'
        ;;
      'check')
        _arguments \
        --sample='[check N pages, picked by URL hash; stable between runs]:value: ' \
        --stratify='[with --sample\: pick the same number from each group, which is a sitemap (sitemap) or a first path segment such as /blog (path)]:value:(path sitemap)' \
        --include='[only pages that match\: '\''/blog/*'\''; can be repeated]:value: ' \
        --exclude='[skip pages that match\: '\''*.pdf'\''; can be repeated]:value: ' \
        --state='[remember in FILE what was checked\: an interrupted check continues, and a later one requests only pages that may have changed]:file:_files' \
        --max-checks='[request at most N pages; with --state, the next run continues]:value: ' \
        --headers-only'[send HEAD requests\: faster, but finds nothing in the content of pages]' \
        --fail-on='[exit with code 5 on error or on warning, or never (default\: error)]:value:(error warning never)' \
        --rule='[set a severity (error, warning, info, off)\: '\''news.*=off'\''; can be repeated]:value: ' \
        --ignore='[ignore findings of a rule at URLs that match\: '\''url.tracking\:/shop/*'\''; can be repeated]:value: ' \
        --baseline='[report only findings that are not in FILE (see --update-baseline)]:file:_files' \
        --update-baseline'[write all findings to the file of --baseline, and exit with code 0]' \
        {-f,--format=}'[text, json, sarif, github, junit or markdown (default\: text)]:value:(text json sarif github junit markdown)' \
        --json'[print one JSON object (same as -f json)]' \
        {-o,--output=}'[write to FILE; the extension sets the format]:file:_files' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        --no-robots'[do not read robots.txt]' \
        --known='[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]' \
        --known-path='[also try PATH, such as /feeds/all.xml; can be repeated]:value: ' \
        --homepage-links='[look for sitemap links on the homepage\: always, never or when-empty, that is, if no page was found before (default\: when-empty)]:value:(always when-empty never)' \
        --no-normalize'[start at exactly the given URL, not at the root of its site]' \
        --cross-host='[sitemaps on other hosts\: follow (read all), same-site (only the same registrable domain) or none (default\: follow)]:value:(follow same-site none)' \
        --html-sitemaps'[also read HTML sitemaps\: the links of pages such as /sitemap.html]' \
        --llms'[also read /llms.txt\: its links, with their sections]' \
        --strict'[repair nothing\: drop invalid entries, and reject files that are not well-formed]' \
        {-H,--header=}'[send a header, to this site only; can be repeated]:value: ' \
        --auth='[user and password (HTTP Basic), for this site only]:value: ' \
        {-A,--user-agent=}'[User-Agent header (default\: siteatlas/VERSION)]:value: ' \
        --auth-file='[read --auth from the first line of FILE, so that the password does not appear in the process list]:file:_files' \
        --proxy='[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]:value: ' \
        --no-proxy'[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]' \
        --cacert='[also trust the certificate authorities in FILE (PEM)]:file:_files' \
        --insecure'[do not verify the certificate of the given host; unsafe]' \
        --https-only'[refuse URLs and redirects with plain http]' \
        --allow='[allow requests to this private host, host\:port or range (10.1.0.0/16); can be repeated]:value: ' \
        --allow-private'[allow requests to all private addresses except link-local ones and cloud metadata services]' \
        --delay='[shortest time between requests to a host (default\: 0)]:value: ' \
        --concurrency='[requests in flight per site (default\: 2)]:value: ' \
        --random-delay='[add a random wait of up to TIME to --delay (default\: 0)]:value: ' \
        --crawl-delay'[obey Crawl-delay in robots.txt]' \
        --respect-robots'[do not fetch sitemaps that robots.txt disallows]' \
        --deadline='[total time (1h)]:value: ' \
        --max-pages='[pages; with exit code 7 if there are more (none)]:value: ' \
        --max-sitemaps='[sitemaps requested, including robots.txt and known locations (50,000)]:value: ' \
        --max-depth='[levels of nesting; robots.txt is level 0 (11)]:value: ' \
        --max-indexes='[sitemap indexes (500)]:value: ' \
        --max-places='[positions in the sitemap tree; a sitemap listed by three indexes has three (100,000)]:value: ' \
        --max-held-bytes='[memory for sitemaps that are listed but not read yet, and for issues (64MiB)]:value: ' \
        --max-held-ratio='[the memory that --max-held-bytes limits, in bytes per downloaded byte (400)]:value: ' \
        --max-foreign-hosts='[hosts outside the site'\''s registrable domain (10)]:value: ' \
        --max-total-bytes='[downloaded bytes (10GiB)]:value: ' \
        --max-total-decoded-bytes='[bytes after decompression (40GiB)]:value: ' \
        --max-children='[sitemaps that an index lists (50,000)]:value: ' \
        --max-robots-sitemaps='[Sitemap lines in robots.txt (5,000)]:value: ' \
        --max-barren-children='[empty sitemaps in a row; the rest of the index is then skipped (200)]:value: ' \
        --max-pages-per-sitemap='[pages (1,000,000)]:value: ' \
        --max-bytes='[downloaded bytes (100MiB)]:value: ' \
        --max-decoded-bytes='[bytes after decompression (100MiB)]:value: ' \
        --max-compression-ratio='[decompressed bytes per downloaded byte (1,000)]:value: ' \
        --max-cpu='[CPU time for parsing (10s)]:value: ' \
        --retries='[retries after a temporary failure (2)]:value: ' \
        --backoff='[longest wait before the first retry; doubles for each further retry (1s)]:value: ' \
        --timeout='[time for the whole request, including the body (5m)]:value: ' \
        --headers-timeout='[time until the response headers are complete (30s)]:value: ' \
        --idle-timeout='[longest pause within a body (30s)]:value: ' \
        --min-speed='[lowest average download speed, per second; a slower response is cut off (1KiB)]:value: ' \
        --max-redirects='[redirects (10)]:value: ' \
        --max-retry-after='[longest wait for Retry-After; a longer one is shortened to this (2m)]:value: ' \
        --max-crawl-delay='[longest wait for Crawl-delay; a longer one is shortened to this (30s)]:value: ' \
        --max-element-depth='[nested XML elements (64)]:value: ' \
        --max-attributes='[attributes per tag (256)]:value: ' \
        --max-namespaces='[namespace declarations per tag (64)]:value: ' \
        --max-name-bytes='[bytes of an element or attribute name (1KiB)]:value: ' \
        --max-token-bytes='[bytes of a tag, a value or a line of text (64KiB)]:value: ' \
        --max-text-length='[characters of a title, caption or other text; the rest is cut (4,096)]:value: ' \
        --max-url-length='[characters of a URL (8,192)]:value: ' \
        --max-images='[images per page (1,000)]:value: ' \
        --max-videos='[videos per page (100)]:value: ' \
        --max-alternates='[alternates per page, for other languages or devices (1,000)]:value: ' \
        --max-gzip-members='[members of a gzip file (1,000)]:value: ' \
        --max-compression-layers='[layers of compression, such as gzip inside gzip (3)]:value: ' \
        --max-issues='[issues kept per document, at most a tenth of them with the same code (100)]:value: ' \
        --max-robots-bytes='[bytes of robots.txt that are searched for rules (500KiB)]:value: ' \
        --max-robots-line-bytes='[bytes of a line of robots.txt (16,664)]:value: ' \
        {-v,--verbose}'[show which sitemaps failed and why; -vv\: every event]' \
        {-q,--quiet}'[only errors, and one line if data is missing]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:file:_files'
        ;;
      'report')
        _arguments \
        --title='[title of the report (default\: the site)]:value: ' \
        --logo='[logo of the report\: a PNG, JPEG or SVG image, at most 32 KB]:file:_files' \
        --lint'[show the findings of all rules of siteatlas lint]' \
        --findings='[show findings that siteatlas check or lint wrote with -f json; can be repeated]:file:_files' \
        --compare='[show the differences to an earlier report, which -f json wrote]:file:_files' \
        --png='[also draw the page as a picture, with an installed Chromium or Chrome]:file:_files' \
        --pdf='[also print the page as a PDF (A4), with an installed Chromium or Chrome]:file:_files' \
        --browser='[the Chromium or Chrome for --png and --pdf (default\: the first one that is found)]:value: ' \
        --include-sitemap='[only pages of sitemaps that match, and of sitemaps below them\: '\''*news*'\''; can be repeated]:value: ' \
        --exclude-sitemap='[do not fetch sitemaps that match; can be repeated]:value: ' \
        {-f,--format=}'[html, markdown or json (default\: html)]:value:(html markdown json)' \
        --json'[print one JSON object with all numbers (same as -f json)]' \
        {-o,--output=}'[write to FILE; the extension sets the format (.html, .md, .json)]:file:_files' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        --fail-on-partial'[exit with code 4 if a sitemap failed or was truncated]' \
        --no-robots'[do not read robots.txt]' \
        --known='[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]' \
        --known-path='[also try PATH, such as /feeds/all.xml; can be repeated]:value: ' \
        --homepage-links='[look for sitemap links on the homepage\: always, never or when-empty, that is, if no page was found before (default\: when-empty)]:value:(always when-empty never)' \
        --no-normalize'[start at exactly the given URL, not at the root of its site]' \
        --cross-host='[sitemaps on other hosts\: follow (read all), same-site (only the same registrable domain) or none (default\: follow)]:value:(follow same-site none)' \
        --html-sitemaps'[also read HTML sitemaps\: the links of pages such as /sitemap.html]' \
        --llms'[also read /llms.txt\: its links, with their sections]' \
        --strict'[repair nothing\: drop invalid entries, and reject files that are not well-formed]' \
        {-H,--header=}'[send a header, to this site only; can be repeated]:value: ' \
        --auth='[user and password (HTTP Basic), for this site only]:value: ' \
        {-A,--user-agent=}'[User-Agent header (default\: siteatlas/VERSION)]:value: ' \
        --auth-file='[read --auth from the first line of FILE, so that the password does not appear in the process list]:file:_files' \
        --proxy='[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]:value: ' \
        --no-proxy'[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]' \
        --cacert='[also trust the certificate authorities in FILE (PEM)]:file:_files' \
        --insecure'[do not verify the certificate of the given host; unsafe]' \
        --https-only'[refuse URLs and redirects with plain http]' \
        --allow='[allow requests to this private host, host\:port or range (10.1.0.0/16); can be repeated]:value: ' \
        --allow-private'[allow requests to all private addresses except link-local ones and cloud metadata services]' \
        --delay='[shortest time between requests to a host (default\: 0)]:value: ' \
        --concurrency='[requests in flight per site (default\: 2)]:value: ' \
        --random-delay='[add a random wait of up to TIME to --delay (default\: 0)]:value: ' \
        --crawl-delay'[obey Crawl-delay in robots.txt]' \
        --respect-robots'[do not fetch sitemaps that robots.txt disallows]' \
        --deadline='[total time (1h)]:value: ' \
        --max-pages='[pages; with exit code 7 if there are more (none)]:value: ' \
        --max-sitemaps='[sitemaps requested, including robots.txt and known locations (50,000)]:value: ' \
        --max-depth='[levels of nesting; robots.txt is level 0 (11)]:value: ' \
        --max-indexes='[sitemap indexes (500)]:value: ' \
        --max-places='[positions in the sitemap tree; a sitemap listed by three indexes has three (100,000)]:value: ' \
        --max-held-bytes='[memory for sitemaps that are listed but not read yet, and for issues (64MiB)]:value: ' \
        --max-held-ratio='[the memory that --max-held-bytes limits, in bytes per downloaded byte (400)]:value: ' \
        --max-foreign-hosts='[hosts outside the site'\''s registrable domain (10)]:value: ' \
        --max-total-bytes='[downloaded bytes (10GiB)]:value: ' \
        --max-total-decoded-bytes='[bytes after decompression (40GiB)]:value: ' \
        --max-children='[sitemaps that an index lists (50,000)]:value: ' \
        --max-robots-sitemaps='[Sitemap lines in robots.txt (5,000)]:value: ' \
        --max-barren-children='[empty sitemaps in a row; the rest of the index is then skipped (200)]:value: ' \
        --max-pages-per-sitemap='[pages (1,000,000)]:value: ' \
        --max-bytes='[downloaded bytes (100MiB)]:value: ' \
        --max-decoded-bytes='[bytes after decompression (100MiB)]:value: ' \
        --max-compression-ratio='[decompressed bytes per downloaded byte (1,000)]:value: ' \
        --max-cpu='[CPU time for parsing (10s)]:value: ' \
        --retries='[retries after a temporary failure (2)]:value: ' \
        --backoff='[longest wait before the first retry; doubles for each further retry (1s)]:value: ' \
        --timeout='[time for the whole request, including the body (5m)]:value: ' \
        --headers-timeout='[time until the response headers are complete (30s)]:value: ' \
        --idle-timeout='[longest pause within a body (30s)]:value: ' \
        --min-speed='[lowest average download speed, per second; a slower response is cut off (1KiB)]:value: ' \
        --max-redirects='[redirects (10)]:value: ' \
        --max-retry-after='[longest wait for Retry-After; a longer one is shortened to this (2m)]:value: ' \
        --max-crawl-delay='[longest wait for Crawl-delay; a longer one is shortened to this (30s)]:value: ' \
        --max-element-depth='[nested XML elements (64)]:value: ' \
        --max-attributes='[attributes per tag (256)]:value: ' \
        --max-namespaces='[namespace declarations per tag (64)]:value: ' \
        --max-name-bytes='[bytes of an element or attribute name (1KiB)]:value: ' \
        --max-token-bytes='[bytes of a tag, a value or a line of text (64KiB)]:value: ' \
        --max-text-length='[characters of a title, caption or other text; the rest is cut (4,096)]:value: ' \
        --max-url-length='[characters of a URL (8,192)]:value: ' \
        --max-images='[images per page (1,000)]:value: ' \
        --max-videos='[videos per page (100)]:value: ' \
        --max-alternates='[alternates per page, for other languages or devices (1,000)]:value: ' \
        --max-gzip-members='[members of a gzip file (1,000)]:value: ' \
        --max-compression-layers='[layers of compression, such as gzip inside gzip (3)]:value: ' \
        --max-issues='[issues kept per document, at most a tenth of them with the same code (100)]:value: ' \
        --max-robots-bytes='[bytes of robots.txt that are searched for rules (500KiB)]:value: ' \
        --max-robots-line-bytes='[bytes of a line of robots.txt (16,664)]:value: ' \
        {-v,--verbose}'[show which sitemaps failed and why; -vv\: every event]' \
        {-q,--quiet}'[only errors, and one line if data is missing]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:file:_files'
        ;;
      'robots')
        _arguments \
        --can-fetch='[test whether a crawler may fetch this URL or path; exits with code 8 if not; can be repeated]:value: ' \
        --as='[crawler that --can-fetch tests for (default\: siteatlas)]:value: ' \
        --strict'[repair nothing\: drop lines that are not valid]' \
        --json'[print one JSON object with groups, rules, sitemaps and problems]' \
        {-o,--output=}'[write to FILE; .json writes JSON]:file:_files' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        {-H,--header=}'[send a header, to this site only; can be repeated]:value: ' \
        --auth='[user and password (HTTP Basic), for this site only]:value: ' \
        {-A,--user-agent=}'[User-Agent header (default\: siteatlas/VERSION)]:value: ' \
        --auth-file='[read --auth from the first line of FILE, so that the password does not appear in the process list]:file:_files' \
        --proxy='[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]:value: ' \
        --no-proxy'[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]' \
        --cacert='[also trust the certificate authorities in FILE (PEM)]:file:_files' \
        --insecure'[do not verify the certificate of the given host; unsafe]' \
        --https-only'[refuse URLs and redirects with plain http]' \
        --allow='[allow requests to this private host, host\:port or range (10.1.0.0/16); can be repeated]:value: ' \
        --allow-private'[allow requests to all private addresses except link-local ones and cloud metadata services]' \
        --retries='[retries after a temporary failure (2)]:value: ' \
        --backoff='[longest wait before the first retry; doubles for each further retry (1s)]:value: ' \
        --timeout='[time for the whole request, including the body (5m)]:value: ' \
        --headers-timeout='[time until the response headers are complete (30s)]:value: ' \
        --idle-timeout='[longest pause within a body (30s)]:value: ' \
        --min-speed='[lowest average download speed, per second; a slower response is cut off (1KiB)]:value: ' \
        --max-redirects='[redirects (10)]:value: ' \
        --max-retry-after='[longest wait for Retry-After; a longer one is shortened to this (2m)]:value: ' \
        --max-bytes='[downloaded bytes (100MiB)]:value: ' \
        --deadline='[total time (1h)]:value: ' \
        {-v,--verbose}'[given twice (-vv)\: show the stack trace of an unexpected error]' \
        {-q,--quiet}'[only errors]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:url: '
        ;;
      'compare')
        _arguments \
        --only='[print the pages of these sets\: a (only in a), b (only in b), both, or a list (default\: a,b,both)]:value:_values -s , value a b both' \
        --ignore-parts='[parts of URLs that do not count\: scheme, www, slash, query, html, case, or a list (default\: none)]:value:_values -s , value scheme www slash query html case' \
        --origin='[origin of paths in logs, tables and folders]:value: ' \
        --agent='[only log lines with this text in their User-Agent]:value: ' \
        --status='[only log lines with these statuses\: 200,3xx,404 (default\: 2xx,3xx)]:value: ' \
        --column='[column of a table that contains the URLs, by name or number (default\: found by name and content)]:value: ' \
        --type-a='[what the file <a> is\: urls, csv, json or log (default\: detected)]:value:(urls csv json log)' \
        --type-b='[what the file <b> is\: urls, csv, json or log (default\: detected)]:value:(urls csv json log)' \
        --exit-code'[exit with code 6 if the inputs differ]' \
        --include='[only pages that match\: '\''/blog/*'\''; can be repeated]:value: ' \
        --exclude='[skip pages that match\: '\''*.pdf'\''; can be repeated]:value: ' \
        {-f,--format=}'[urls, ndjson, json, csv or tsv (default\: a summary on a terminal, ndjson in a pipe, urls with --only)]:value:(urls ndjson json csv tsv)' \
        {-o,--output=}'[write to FILE; the extension sets the format]:file:_files' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        --json'[print one JSON object per page (same as -f ndjson)]' \
        --csv-raw'[do not escape values that a spreadsheet could run as a formula (csv, tsv)]' \
        --fail-on-partial'[exit with code 4 if an input is incomplete]' \
        --no-robots'[do not read robots.txt]' \
        --known='[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]' \
        --known-path='[also try PATH, such as /feeds/all.xml; can be repeated]:value: ' \
        --homepage-links='[look for sitemap links on the homepage\: always, never or when-empty, that is, if no page was found before (default\: when-empty)]:value:(always when-empty never)' \
        --no-normalize'[start at exactly the given URL, not at the root of its site]' \
        --cross-host='[sitemaps on other hosts\: follow (read all), same-site (only the same registrable domain) or none (default\: follow)]:value:(follow same-site none)' \
        --html-sitemaps'[also read HTML sitemaps\: the links of pages such as /sitemap.html]' \
        --llms'[also read /llms.txt\: its links, with their sections]' \
        --strict'[repair nothing\: drop invalid entries, and reject files that are not well-formed]' \
        {-H,--header=}'[send a header, to this site only; can be repeated]:value: ' \
        --auth='[user and password (HTTP Basic), for this site only]:value: ' \
        {-A,--user-agent=}'[User-Agent header (default\: siteatlas/VERSION)]:value: ' \
        --auth-file='[read --auth from the first line of FILE, so that the password does not appear in the process list]:file:_files' \
        --proxy='[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]:value: ' \
        --no-proxy'[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]' \
        --cacert='[also trust the certificate authorities in FILE (PEM)]:file:_files' \
        --insecure'[do not verify the certificate of the given host; unsafe]' \
        --https-only'[refuse URLs and redirects with plain http]' \
        --allow='[allow requests to this private host, host\:port or range (10.1.0.0/16); can be repeated]:value: ' \
        --allow-private'[allow requests to all private addresses except link-local ones and cloud metadata services]' \
        --delay='[shortest time between requests to a host (default\: 0)]:value: ' \
        --concurrency='[requests in flight per site (default\: 2)]:value: ' \
        --random-delay='[add a random wait of up to TIME to --delay (default\: 0)]:value: ' \
        --crawl-delay'[obey Crawl-delay in robots.txt]' \
        --respect-robots'[do not fetch sitemaps that robots.txt disallows]' \
        --deadline='[total time (1h)]:value: ' \
        --max-pages='[pages; with exit code 7 if there are more (none)]:value: ' \
        --max-sitemaps='[sitemaps requested, including robots.txt and known locations (50,000)]:value: ' \
        --max-depth='[levels of nesting; robots.txt is level 0 (11)]:value: ' \
        --max-indexes='[sitemap indexes (500)]:value: ' \
        --max-places='[positions in the sitemap tree; a sitemap listed by three indexes has three (100,000)]:value: ' \
        --max-held-bytes='[memory for sitemaps that are listed but not read yet, and for issues (64MiB)]:value: ' \
        --max-held-ratio='[the memory that --max-held-bytes limits, in bytes per downloaded byte (400)]:value: ' \
        --max-foreign-hosts='[hosts outside the site'\''s registrable domain (10)]:value: ' \
        --max-total-bytes='[downloaded bytes (10GiB)]:value: ' \
        --max-total-decoded-bytes='[bytes after decompression (40GiB)]:value: ' \
        --max-children='[sitemaps that an index lists (50,000)]:value: ' \
        --max-robots-sitemaps='[Sitemap lines in robots.txt (5,000)]:value: ' \
        --max-barren-children='[empty sitemaps in a row; the rest of the index is then skipped (200)]:value: ' \
        --max-pages-per-sitemap='[pages (1,000,000)]:value: ' \
        --max-bytes='[downloaded bytes (100MiB)]:value: ' \
        --max-decoded-bytes='[bytes after decompression (100MiB)]:value: ' \
        --max-compression-ratio='[decompressed bytes per downloaded byte (1,000)]:value: ' \
        --max-cpu='[CPU time for parsing (10s)]:value: ' \
        --retries='[retries after a temporary failure (2)]:value: ' \
        --backoff='[longest wait before the first retry; doubles for each further retry (1s)]:value: ' \
        --timeout='[time for the whole request, including the body (5m)]:value: ' \
        --headers-timeout='[time until the response headers are complete (30s)]:value: ' \
        --idle-timeout='[longest pause within a body (30s)]:value: ' \
        --min-speed='[lowest average download speed, per second; a slower response is cut off (1KiB)]:value: ' \
        --max-redirects='[redirects (10)]:value: ' \
        --max-retry-after='[longest wait for Retry-After; a longer one is shortened to this (2m)]:value: ' \
        --max-crawl-delay='[longest wait for Crawl-delay; a longer one is shortened to this (30s)]:value: ' \
        --max-element-depth='[nested XML elements (64)]:value: ' \
        --max-attributes='[attributes per tag (256)]:value: ' \
        --max-namespaces='[namespace declarations per tag (64)]:value: ' \
        --max-name-bytes='[bytes of an element or attribute name (1KiB)]:value: ' \
        --max-token-bytes='[bytes of a tag, a value or a line of text (64KiB)]:value: ' \
        --max-text-length='[characters of a title, caption or other text; the rest is cut (4,096)]:value: ' \
        --max-url-length='[characters of a URL (8,192)]:value: ' \
        --max-images='[images per page (1,000)]:value: ' \
        --max-videos='[videos per page (100)]:value: ' \
        --max-alternates='[alternates per page, for other languages or devices (1,000)]:value: ' \
        --max-gzip-members='[members of a gzip file (1,000)]:value: ' \
        --max-compression-layers='[layers of compression, such as gzip inside gzip (3)]:value: ' \
        --max-issues='[issues kept per document, at most a tenth of them with the same code (100)]:value: ' \
        --max-robots-bytes='[bytes of robots.txt that are searched for rules (500KiB)]:value: ' \
        --max-robots-line-bytes='[bytes of a line of robots.txt (16,664)]:value: ' \
        {-v,--verbose}'[show which sitemaps failed and why; -vv\: every event]' \
        {-q,--quiet}'[only errors, and one line if data is missing]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:file:_files'
        ;;
      'sync')
        _arguments \
        --snapshot='[snapshot file (default\: HOST.snapshot.gz in the current directory)]:file:_files' \
        --exit-code'[exit with code 6 if there are changes]' \
        --dry-run'[report changes, but do not update the snapshot]' \
        --no-trust'[fetch every sitemap, even if its index declares no change]' \
        --no-validators'[send no If-None-Match or If-Modified-Since header\: download every sitemap in full]' \
        --mass-removal='[if at least this share of all pages disappears at once, report their removal only after a day (default\: 20%)]:value: ' \
        --redirect-checks='[request up to N removed pages to see where they redirect (default\: 0)]:value: ' \
        --verify'[request pages that disappeared\: report a page immediately if it is gone, or after a day if it still exists]' \
        --verify-requests='[requests per sync for --verify (default\: 100)]:value: ' \
        --history='[if a sync finds changes, keep the snapshot that it replaces, for siteatlas diff FILE@1 FILE; at most N are kept (default\: 0)]:value: ' \
        --webhook='[also POST the changes as JSON to URL]:value: ' \
        --webhook-secret-file='[read the secret that signs webhook requests from FILE (default\: SITEATLAS_WEBHOOK_SECRET)]:file:_files' \
        --hook-on='[events that trigger --on-change and --webhook\: changes, failures or changes,failures (default\: changes)]:value:_values -s , value changes failures' \
        --log='[format of messages on stderr\: text, or json with one object per line (default\: text)]:value:(text json)' \
        {-f,--format=}'[urls (added and changed pages), ndjson (one object per change) or json (default\: a summary on a terminal, ndjson in a pipe)]:value:(urls ndjson json)' \
        {-o,--output=}'[write to FILE; the extension sets the format (.ndjson, .json, .txt for urls)]:file:_files' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        --json'[print one JSON object per change (same as -f ndjson)]' \
        --fail-on-partial'[exit with code 4 if a sitemap failed or was truncated]' \
        --no-robots'[do not read robots.txt]' \
        --known='[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]' \
        --known-path='[also try PATH, such as /feeds/all.xml; can be repeated]:value: ' \
        --homepage-links='[look for sitemap links on the homepage\: always, never or when-empty, that is, if no page was found before (default\: when-empty)]:value:(always when-empty never)' \
        --no-normalize'[start at exactly the given URL, not at the root of its site]' \
        --cross-host='[sitemaps on other hosts\: follow (read all), same-site (only the same registrable domain) or none (default\: follow)]:value:(follow same-site none)' \
        --html-sitemaps'[also read HTML sitemaps\: the links of pages such as /sitemap.html]' \
        --llms'[also read /llms.txt\: its links, with their sections]' \
        --strict'[repair nothing\: drop invalid entries, and reject files that are not well-formed]' \
        {-H,--header=}'[send a header, to this site only; can be repeated]:value: ' \
        --auth='[user and password (HTTP Basic), for this site only]:value: ' \
        {-A,--user-agent=}'[User-Agent header (default\: siteatlas/VERSION)]:value: ' \
        --auth-file='[read --auth from the first line of FILE, so that the password does not appear in the process list]:file:_files' \
        --proxy='[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]:value: ' \
        --no-proxy'[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]' \
        --cacert='[also trust the certificate authorities in FILE (PEM)]:file:_files' \
        --insecure'[do not verify the certificate of the given host; unsafe]' \
        --https-only'[refuse URLs and redirects with plain http]' \
        --allow='[allow requests to this private host, host\:port or range (10.1.0.0/16); can be repeated]:value: ' \
        --allow-private'[allow requests to all private addresses except link-local ones and cloud metadata services]' \
        --delay='[shortest time between requests to a host (default\: 0)]:value: ' \
        --concurrency='[requests in flight per site (default\: 2)]:value: ' \
        --random-delay='[add a random wait of up to TIME to --delay (default\: 0)]:value: ' \
        --crawl-delay'[obey Crawl-delay in robots.txt]' \
        --respect-robots'[do not fetch sitemaps that robots.txt disallows]' \
        --deadline='[total time (1h)]:value: ' \
        --max-pages='[pages; with exit code 7 if there are more (none)]:value: ' \
        --max-sitemaps='[sitemaps requested, including robots.txt and known locations (50,000)]:value: ' \
        --max-depth='[levels of nesting; robots.txt is level 0 (11)]:value: ' \
        --max-indexes='[sitemap indexes (500)]:value: ' \
        --max-places='[positions in the sitemap tree; a sitemap listed by three indexes has three (100,000)]:value: ' \
        --max-held-bytes='[memory for sitemaps that are listed but not read yet, and for issues (64MiB)]:value: ' \
        --max-held-ratio='[the memory that --max-held-bytes limits, in bytes per downloaded byte (400)]:value: ' \
        --max-foreign-hosts='[hosts outside the site'\''s registrable domain (10)]:value: ' \
        --max-total-bytes='[downloaded bytes (10GiB)]:value: ' \
        --max-total-decoded-bytes='[bytes after decompression (40GiB)]:value: ' \
        --max-children='[sitemaps that an index lists (50,000)]:value: ' \
        --max-robots-sitemaps='[Sitemap lines in robots.txt (5,000)]:value: ' \
        --max-barren-children='[empty sitemaps in a row; the rest of the index is then skipped (200)]:value: ' \
        --max-pages-per-sitemap='[pages (1,000,000)]:value: ' \
        --max-bytes='[downloaded bytes (100MiB)]:value: ' \
        --max-decoded-bytes='[bytes after decompression (100MiB)]:value: ' \
        --max-compression-ratio='[decompressed bytes per downloaded byte (1,000)]:value: ' \
        --max-cpu='[CPU time for parsing (10s)]:value: ' \
        --retries='[retries after a temporary failure (2)]:value: ' \
        --backoff='[longest wait before the first retry; doubles for each further retry (1s)]:value: ' \
        --timeout='[time for the whole request, including the body (5m)]:value: ' \
        --headers-timeout='[time until the response headers are complete (30s)]:value: ' \
        --idle-timeout='[longest pause within a body (30s)]:value: ' \
        --min-speed='[lowest average download speed, per second; a slower response is cut off (1KiB)]:value: ' \
        --max-redirects='[redirects (10)]:value: ' \
        --max-retry-after='[longest wait for Retry-After; a longer one is shortened to this (2m)]:value: ' \
        --max-crawl-delay='[longest wait for Crawl-delay; a longer one is shortened to this (30s)]:value: ' \
        --max-element-depth='[nested XML elements (64)]:value: ' \
        --max-attributes='[attributes per tag (256)]:value: ' \
        --max-namespaces='[namespace declarations per tag (64)]:value: ' \
        --max-name-bytes='[bytes of an element or attribute name (1KiB)]:value: ' \
        --max-token-bytes='[bytes of a tag, a value or a line of text (64KiB)]:value: ' \
        --max-text-length='[characters of a title, caption or other text; the rest is cut (4,096)]:value: ' \
        --max-url-length='[characters of a URL (8,192)]:value: ' \
        --max-images='[images per page (1,000)]:value: ' \
        --max-videos='[videos per page (100)]:value: ' \
        --max-alternates='[alternates per page, for other languages or devices (1,000)]:value: ' \
        --max-gzip-members='[members of a gzip file (1,000)]:value: ' \
        --max-compression-layers='[layers of compression, such as gzip inside gzip (3)]:value: ' \
        --max-issues='[issues kept per document, at most a tenth of them with the same code (100)]:value: ' \
        --max-robots-bytes='[bytes of robots.txt that are searched for rules (500KiB)]:value: ' \
        --max-robots-line-bytes='[bytes of a line of robots.txt (16,664)]:value: ' \
        {-v,--verbose}'[show which sitemaps failed and why; -vv\: every event]' \
        {-q,--quiet}'[only errors, and one line if data is missing]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:url: '
        ;;
      'watch')
        _arguments \
        --every='[time between two syncs; if no page changes, or if syncs fail, it grows up to --max-every (default\: 15m)]:value: ' \
        --max-every='[longest time between two syncs of a site (default\: eight times --every)]:value: ' \
        --on-change='[run this command on changes; its stdin gets NDJSON]:value: ' \
        --on-change-timeout='[end the --on-change command after this time, as if it had failed (default\: 10m)]:value: ' \
        --webhook='[POST the changes and a summary as JSON to URL, signed if SITEATLAS_WEBHOOK_SECRET is set]:value: ' \
        --webhook-secret-file='[read the secret that signs webhook requests from FILE (default\: SITEATLAS_WEBHOOK_SECRET)]:file:_files' \
        --hook-on='[events that trigger --on-change and --webhook\: changes, failures or changes,failures (default\: changes)]:value:_values -s , value changes failures' \
        --snapshots='[folder for snapshot files, one per site (default\: current directory)]:file:_files' \
        --no-trust'[fetch every sitemap, even if its index declares no change]' \
        --no-validators'[send no If-None-Match or If-Modified-Since header\: download every sitemap in full]' \
        --mass-removal='[if at least this share of all pages disappears at once, report their removal only after a day (default\: 20%)]:value: ' \
        --redirect-checks='[request up to N removed pages to see where they redirect (default\: 0)]:value: ' \
        --verify'[request pages that disappeared\: report a page immediately if it is gone, or after a day if it still exists]' \
        --verify-requests='[requests per sync for --verify (default\: 100)]:value: ' \
        --history='[if a sync finds changes, keep the snapshot that it replaces, for siteatlas diff FILE@1 FILE; at most N are kept (default\: 0)]:value: ' \
        --hosts='[also watch the hosts or URLs in FILE, one per line; SIGHUP reads it again]:file:_files' \
        --metrics='[serve /metrics (Prometheus) and /healthz on this port of 127.0.0.1, or on ADDRESS\:PORT]:value: ' \
        --log='[format of messages on stderr\: text, or json with one object per line (default\: text)]:value:(text json)' \
        {-f,--format=}'[urls (added and changed pages) or ndjson (one object per change) (default\: a summary on a terminal, ndjson in a pipe)]:value:(urls ndjson)' \
        --json'[print one JSON object per change (same as -f ndjson)]' \
        --no-robots'[do not read robots.txt]' \
        --known='[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]:value:(usual thorough)' \
        --no-known'[known locations to try\: usual (18) or thorough (about 110) (default\: usual)]' \
        --known-path='[also try PATH, such as /feeds/all.xml; can be repeated]:value: ' \
        --homepage-links='[look for sitemap links on the homepage\: always, never or when-empty, that is, if no page was found before (default\: when-empty)]:value:(always when-empty never)' \
        --no-normalize'[start at exactly the given URL, not at the root of its site]' \
        --cross-host='[sitemaps on other hosts\: follow (read all), same-site (only the same registrable domain) or none (default\: follow)]:value:(follow same-site none)' \
        --html-sitemaps'[also read HTML sitemaps\: the links of pages such as /sitemap.html]' \
        --llms'[also read /llms.txt\: its links, with their sections]' \
        --strict'[repair nothing\: drop invalid entries, and reject files that are not well-formed]' \
        {-H,--header=}'[send a header, to this site only; can be repeated]:value: ' \
        --auth='[user and password (HTTP Basic), for this site only]:value: ' \
        {-A,--user-agent=}'[User-Agent header (default\: siteatlas/VERSION)]:value: ' \
        --auth-file='[read --auth from the first line of FILE, so that the password does not appear in the process list]:file:_files' \
        --proxy='[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]:value: ' \
        --no-proxy'[send requests through this HTTP proxy (default\: that of HTTPS_PROXY or HTTP_PROXY, except for hosts in NO_PROXY)]' \
        --cacert='[also trust the certificate authorities in FILE (PEM)]:file:_files' \
        --insecure'[do not verify the certificate of the given host; unsafe]' \
        --https-only'[refuse URLs and redirects with plain http]' \
        --allow='[allow requests to this private host, host\:port or range (10.1.0.0/16); can be repeated]:value: ' \
        --allow-private'[allow requests to all private addresses except link-local ones and cloud metadata services]' \
        --delay='[shortest time between requests to a host (default\: 0)]:value: ' \
        --concurrency='[requests in flight per site (default\: 2)]:value: ' \
        --random-delay='[add a random wait of up to TIME to --delay (default\: 0)]:value: ' \
        --crawl-delay'[obey Crawl-delay in robots.txt]' \
        --respect-robots'[do not fetch sitemaps that robots.txt disallows]' \
        {-j,--jobs=}'[sites read at the same time (default\: 8)]:value: ' \
        --deadline='[total time (1h)]:value: ' \
        --max-pages='[pages; with exit code 7 if there are more (none)]:value: ' \
        --max-sitemaps='[sitemaps requested, including robots.txt and known locations (50,000)]:value: ' \
        --max-depth='[levels of nesting; robots.txt is level 0 (11)]:value: ' \
        --max-indexes='[sitemap indexes (500)]:value: ' \
        --max-places='[positions in the sitemap tree; a sitemap listed by three indexes has three (100,000)]:value: ' \
        --max-held-bytes='[memory for sitemaps that are listed but not read yet, and for issues (64MiB)]:value: ' \
        --max-held-ratio='[the memory that --max-held-bytes limits, in bytes per downloaded byte (400)]:value: ' \
        --max-foreign-hosts='[hosts outside the site'\''s registrable domain (10)]:value: ' \
        --max-total-bytes='[downloaded bytes (10GiB)]:value: ' \
        --max-total-decoded-bytes='[bytes after decompression (40GiB)]:value: ' \
        --max-children='[sitemaps that an index lists (50,000)]:value: ' \
        --max-robots-sitemaps='[Sitemap lines in robots.txt (5,000)]:value: ' \
        --max-barren-children='[empty sitemaps in a row; the rest of the index is then skipped (200)]:value: ' \
        --max-pages-per-sitemap='[pages (1,000,000)]:value: ' \
        --max-bytes='[downloaded bytes (100MiB)]:value: ' \
        --max-decoded-bytes='[bytes after decompression (100MiB)]:value: ' \
        --max-compression-ratio='[decompressed bytes per downloaded byte (1,000)]:value: ' \
        --max-cpu='[CPU time for parsing (10s)]:value: ' \
        --retries='[retries after a temporary failure (2)]:value: ' \
        --backoff='[longest wait before the first retry; doubles for each further retry (1s)]:value: ' \
        --timeout='[time for the whole request, including the body (5m)]:value: ' \
        --headers-timeout='[time until the response headers are complete (30s)]:value: ' \
        --idle-timeout='[longest pause within a body (30s)]:value: ' \
        --min-speed='[lowest average download speed, per second; a slower response is cut off (1KiB)]:value: ' \
        --max-redirects='[redirects (10)]:value: ' \
        --max-retry-after='[longest wait for Retry-After; a longer one is shortened to this (2m)]:value: ' \
        --max-crawl-delay='[longest wait for Crawl-delay; a longer one is shortened to this (30s)]:value: ' \
        --max-element-depth='[nested XML elements (64)]:value: ' \
        --max-attributes='[attributes per tag (256)]:value: ' \
        --max-namespaces='[namespace declarations per tag (64)]:value: ' \
        --max-name-bytes='[bytes of an element or attribute name (1KiB)]:value: ' \
        --max-token-bytes='[bytes of a tag, a value or a line of text (64KiB)]:value: ' \
        --max-text-length='[characters of a title, caption or other text; the rest is cut (4,096)]:value: ' \
        --max-url-length='[characters of a URL (8,192)]:value: ' \
        --max-images='[images per page (1,000)]:value: ' \
        --max-videos='[videos per page (100)]:value: ' \
        --max-alternates='[alternates per page, for other languages or devices (1,000)]:value: ' \
        --max-gzip-members='[members of a gzip file (1,000)]:value: ' \
        --max-compression-layers='[layers of compression, such as gzip inside gzip (3)]:value: ' \
        --max-issues='[issues kept per document, at most a tenth of them with the same code (100)]:value: ' \
        --max-robots-bytes='[bytes of robots.txt that are searched for rules (500KiB)]:value: ' \
        --max-robots-line-bytes='[bytes of a line of robots.txt (16,664)]:value: ' \
        {-v,--verbose}'[also report syncs without changes]' \
        {-q,--quiet}'[only errors, and syncs that could not read everything]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:url: '
        ;;
      'diff')
        _arguments \
        --exit-code'[exit with code 6 if there are changes]' \
        {-f,--format=}'[urls (added and changed pages), ndjson (one object per change) or json (default\: a summary on a terminal, ndjson in a pipe)]:value:(urls ndjson json)' \
        {-o,--output=}'[write to FILE; the extension sets the format (.ndjson, .json, .txt for urls)]:file:_files' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        --json'[print one JSON object per change (same as -f ndjson)]' \
        {-v,--verbose}'[given twice (-vv)\: show the stack trace of an unexpected error]' \
        {-q,--quiet}'[only errors, and one line if some sitemaps could not be read]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:file:_files'
        ;;
      'snapshot')
        _arguments \
        --include='[only pages that match\: '\''/blog/*'\''; can be repeated]:value: ' \
        --exclude='[skip pages that match\: '\''*.pdf'\''; can be repeated]:value: ' \
        --since='[only pages modified since DATE\: 2026-11-01, 7d; skips undated pages, and news without lastmod (a snapshot does not keep their date)]:value: ' \
        --limit='[stop after N pages and exit with code 0]:value: ' \
        --sample='[pick N pages by URL hash; stable between runs]:value: ' \
        --unique'[print each URL once (keeps all URLs in memory)]' \
        --stratify='[with --sample\: pick the same number from each group, which is a sitemap (sitemap) or a first path segment such as /blog (path)]:value:(path sitemap)' \
        --rewrite-origin='[print page URLs with this origin instead of the site'\''s\: https\://staging.example.com]:value: ' \
        {-o,--output=}'[write to FILE; the extension sets the format]:file:_files' \
        {-f,--format=}'[urls, ndjson, json, csv, tsv, parquet or sqlite (default\: a listing on a terminal, urls in a pipe)]:value:(urls ndjson json csv tsv parquet sqlite)' \
        --json'[print JSON\: export prints one object per page, show prints a single object]' \
        --fields='[fields to write, in the given order\: url,lastmod,priority]:value:_values -s , value url lastmod lastmod_precision lastmod_text changefreq priority sitemap site kind lang title section published published_precision published_text url_text feed_url mobile news images videos alternates media page_map' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        --csv-raw'[do not escape values that a spreadsheet could run as a formula (csv, tsv)]' \
        {-v,--verbose}'[given twice (-vv)\: show the stack trace of an unexpected error]' \
        {-q,--quiet}'[only errors]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '1:argument:(show export)' \
        '*:file:_files'
        ;;
      'parse')
        _arguments \
        --url='[URL that the document came from; resolves its relative URLs]:value: ' \
        --content-type='[Content-Type that the server sent with the document]:value: ' \
        --sitemaps'[print the sitemaps that an index lists, instead of pages]' \
        --html-sitemaps'[also read HTML pages\: their links are pages]' \
        --llms'[read llms.txt, or stdin, as llms.txt\: its links, with their sections]' \
        --strict'[repair nothing\: drop invalid entries, and reject files that are not well-formed]' \
        --include='[only pages that match\: '\''/blog/*'\''; can be repeated]:value: ' \
        --exclude='[skip pages that match\: '\''*.pdf'\''; can be repeated]:value: ' \
        --since='[only pages modified or published since DATE\: 2026-11-01, 7d; skips undated pages]:value: ' \
        --kind='[only pages of these kinds\: news,image,video,feed,page]:value:_values -s , value news image video feed page' \
        --limit='[stop after N pages and exit with code 0]:value: ' \
        --sample='[pick N pages by URL hash; stable between runs]:value: ' \
        --unique'[print each URL once (keeps all URLs in memory)]' \
        --lang='[only pages in these languages\: de,fr (from news and hreflang data); de includes de-AT]:value: ' \
        --stratify='[with --sample\: pick the same number from each group, which is a sitemap (sitemap) or a first path segment such as /blog (path)]:value:(path sitemap)' \
        --rewrite-origin='[print page URLs with this origin instead of the site'\''s\: https\://staging.example.com]:value: ' \
        {-o,--output=}'[write to FILE; the extension sets the format]:file:_files' \
        {-f,--format=}'[urls, ndjson, json, csv, tsv, parquet or sqlite (default\: a listing on a terminal, urls in a pipe)]:value:(urls ndjson json csv tsv parquet sqlite)' \
        --json'[print one JSON object per page (same as -f ndjson)]' \
        --fields='[fields to write, in the given order\: url,lastmod,title (all\: siteatlas help fields)]:value:_values -s , value url lastmod lastmod_precision lastmod_text changefreq priority sitemap site kind lang title section published published_precision published_text url_text feed_url mobile news images videos alternates media page_map' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        --csv-raw'[do not escape values that a spreadsheet could run as a formula (csv, tsv)]' \
        --fail-on-partial'[exit with code 4 if a sitemap failed or was truncated]' \
        --max-element-depth='[nested XML elements (64)]:value: ' \
        --max-attributes='[attributes per tag (256)]:value: ' \
        --max-namespaces='[namespace declarations per tag (64)]:value: ' \
        --max-name-bytes='[bytes of an element or attribute name (1KiB)]:value: ' \
        --max-token-bytes='[bytes of a tag, a value or a line of text (64KiB)]:value: ' \
        --max-text-length='[characters of a title, caption or other text; the rest is cut (4,096)]:value: ' \
        --max-url-length='[characters of a URL (8,192)]:value: ' \
        --max-images='[images per page (1,000)]:value: ' \
        --max-videos='[videos per page (100)]:value: ' \
        --max-alternates='[alternates per page, for other languages or devices (1,000)]:value: ' \
        --max-gzip-members='[members of a gzip file (1,000)]:value: ' \
        --max-compression-layers='[layers of compression, such as gzip inside gzip (3)]:value: ' \
        --max-issues='[issues kept per document, at most a tenth of them with the same code (100)]:value: ' \
        --max-robots-bytes='[bytes of robots.txt that are searched for rules (500KiB)]:value: ' \
        --max-robots-line-bytes='[bytes of a line of robots.txt (16,664)]:value: ' \
        {-v,--verbose}'[show which files are incomplete; -vv shows every issue]' \
        {-q,--quiet}'[only errors, and one line if data is missing]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '*:file:_files'
        ;;
      'completion')
        _arguments \
        {-h,--help}'[help]' \
        '1:argument:(bash zsh fish)'
        ;;
      'snapshot show')
        _arguments \
        --json'[print one JSON object]' \
        {-o,--output=}'[write to FILE; .json writes JSON]:file:_files' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        {-v,--verbose}'[given twice (-vv)\: show the stack trace of an unexpected error]' \
        {-q,--quiet}'[only errors]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '1:argument:(show export)' \
        '*:file:_files'
        ;;
      'snapshot export')
        _arguments \
        --include='[only pages that match\: '\''/blog/*'\''; can be repeated]:value: ' \
        --exclude='[skip pages that match\: '\''*.pdf'\''; can be repeated]:value: ' \
        --since='[only pages modified since DATE\: 2026-11-01, 7d; skips undated pages, and news without lastmod (a snapshot does not keep their date)]:value: ' \
        --limit='[stop after N pages and exit with code 0]:value: ' \
        --sample='[pick N pages by URL hash; stable between runs]:value: ' \
        --unique'[print each URL once (keeps all URLs in memory)]' \
        --stratify='[with --sample\: pick the same number from each group, which is a sitemap (sitemap) or a first path segment such as /blog (path)]:value:(path sitemap)' \
        --rewrite-origin='[print page URLs with this origin instead of the site'\''s\: https\://staging.example.com]:value: ' \
        {-o,--output=}'[write to FILE; the extension sets the format]:file:_files' \
        {-f,--format=}'[urls, ndjson, json, csv, tsv, parquet or sqlite (default\: a listing on a terminal, urls in a pipe)]:value:(urls ndjson json csv tsv parquet sqlite)' \
        --json'[print one JSON object per page (same as -f ndjson)]' \
        --fields='[fields to write, in the given order\: url,lastmod,priority]:value:_values -s , value url lastmod lastmod_precision lastmod_text changefreq priority sitemap site kind lang title section published published_precision published_text url_text feed_url mobile news images videos alternates media page_map' \
        --force'[replace FILE if it exists, once the new file is complete]' \
        --csv-raw'[do not escape values that a spreadsheet could run as a formula (csv, tsv)]' \
        {-v,--verbose}'[given twice (-vv)\: show the stack trace of an unexpected error]' \
        {-q,--quiet}'[only errors]' \
        --progress='[auto, plain, json or none; auto is live on a terminal, otherwise one line every 10 seconds (default\: auto)]:value:(auto plain json none)' \
        --color='[auto, always or never (default\: auto)]:value:(auto always never)' \
        --log-file='[write every event to FILE, with timestamps]:file:_files' \
        --config='[settings file]:file:_files' \
        {-h,--help}'[help]' \
        '1:argument:(show export)' \
        '*:file:_files'
        ;;
      help)
        _arguments '1:name:(ls tree find stats lint check report robots compare sync watch diff snapshot parse completion limits fields config exit-codes)'
        ;;
  esac
}
_siteatlas "$@"
