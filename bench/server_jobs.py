"""Servers and their clients for bench/programs.py: each job starts a server, asks it, and stops it."""

# wait_for COMMAND...: until the command succeeds, at most a minute. AS: a user who is not root, if we are root.
SHELL = """wait_for() { for i in $(seq 600); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done; echo "never ready: $*"; }
AS=; [ "$(id -u)" -ne 0 ] || AS="setpriv --reuid=nobody --regid=nogroup --clear-groups"
"""
BENCHMARK = "ab -q -n 600 -c 8 http://127.0.0.1:%d/page 2>&1 | grep -E '^(Complete|Failed|Non-2xx|Document Length|HTML)'; "
ASK = "curl -s http://127.0.0.1:%d/page | sha256sum; curl -s -o /dev/null -w '%%{http_code}\\n' http://127.0.0.1:%d/absent; "

NGINX_CONF = """daemon off; worker_processes 2; pid nginx.pid; error_log stderr crit;
events { }
http { access_log off; client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
  gzip on; gzip_types text/plain; gzip_min_length 10; default_type text/plain;
  server { listen 127.0.0.1:48731; root .; location /other { proxy_pass http://127.0.0.1:48731/page; } } }
"""
NGINX = SHELL + """PORT=48731; nginx -e stderr -p "$PWD" -c nginx.conf & wait_for curl -s http://127.0.0.1:$PORT/page
""" + BENCHMARK % 48731 + ASK % (48731, 48731) + """
curl -s --compressed http://127.0.0.1:$PORT/other | sha256sum; nginx -e stderr -p "$PWD" -c nginx.conf -s quit 2>/dev/null; wait; echo $?; rm -rf t?
"""

APACHE_CONF = """ServerRoot @ROOT@
ServerName localhost
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule deflate_module /usr/lib/apache2/modules/mod_deflate.so
Listen 127.0.0.1:48732
PidFile pid
ErrorLog log
DocumentRoot .
StartServers 2
"""
APACHE = SHELL + """sed -i "s|@ROOT@|$PWD|" apache.conf; [ "$(id -u)" -ne 0 ] || printf 'User nobody\\nGroup nogroup\\n' >> apache.conf
apache2 -f "$PWD/apache.conf" -DFOREGROUND & wait_for curl -s http://127.0.0.1:48732/page
""" + BENCHMARK % 48732 + ASK % (48732, 48732) + "kill -TERM $!; wait; echo $?; rm -f log apache.conf pid\n"

# Ends its process group: it gets one of its own.
LIGHTTPD_CONF = """server.document-root = var.CWD
server.port = 48733
server.bind = "127.0.0.1"
server.max-worker = 2
"""
LIGHTTPD = SHELL + """setsid lighttpd -D -f lighttpd.conf 2>/dev/null & wait_for curl -s http://127.0.0.1:48733/page
""" + BENCHMARK % 48733 + ASK % (48733, 48733) + "kill -TERM $!; wait; echo $?\n"

REDIS = SHELL + """redis-server --port 0 --unixsocket "$PWD/s" --save '' --dir "$PWD" --io-threads 2 --enable-debug-command yes >/dev/null &
ask() { redis-cli -s s "$@"; }
wait_for ask ping
redis-benchmark -s s -n 3000 -c 10 --csv -t set,get,incr,lpush,lrange_100,zadd | cut -d, -f1; ask dbsize; ask get counter:__rand_int__
ask eval "local s = 0 for i = 1, 5000 do redis.call('set', 'k' .. i, i) s = s + redis.call('get', 'k' .. i) end return s" 0
ask eval 'error("x")' 0 | tail -1; ask hset h a 1 b 2; ask hgetall h; ask absent; ask debug digest; ask save; ask bgsave
wait_for sh -c 'redis-cli -s s info persistence | grep -q rdb_bgsave_in_progress:0'
ask info persistence | grep rdb_last_bgsave_status; redis-check-rdb dump.rdb | grep -oE '[0-9]+ keys read'
ask shutdown nosave; wait; echo $?; rm -f dump.rdb
"""

MEMCACHED_CLIENT = """import socket, threading
def work(number):
    connection = socket.socket(socket.AF_UNIX); connection.connect('s'); stream = connection.makefile('rwb')
    for i in range(200):
        stream.write(b'set k%d-%d 0 0 4\\r\\nabcd\\r\\nget k%d-%d\\r\\n' % (number, i, number, i)); stream.flush()
        got = [stream.readline() for _ in range(4)]
        if got[0] != b'STORED\\r\\n' or got[2] != b'abcd\\r\\n': print(got)
threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
connection = socket.socket(socket.AF_UNIX); connection.connect('s'); stream = connection.makefile('rwb')
stream.write(b'stats\\r\\nabsent\\r\\n'); stream.flush()
print([line for line in iter(stream.readline, b'END\\r\\n') if b'cmd_get' in line or b'get_hits' in line or b'curr_items' in line], stream.readline())
"""
MEMCACHED = SHELL + """memcached -s s -t 4 -u "$(id -un)" & wait_for test -S s
python3 -B client.py; kill -TERM $!; wait; rm -f s
"""

POSTGRESQL = SHELL + """bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1); mkdir pg; [ -z "$AS" ] || chown nobody pg; cd pg; export PGHOST="$PWD" PGUSER=me
$AS $bin/initdb -D d -A trust -U me --no-sync >/dev/null 2>&1; echo $?
$AS $bin/pg_ctl -D d -w -t 100 -l d/log -o "-k '$PWD' -c listen_addresses= -c fsync=off" start >/dev/null; echo $?
ask() { $bin/psql -AtX -d postgres -c "$1"; }
$bin/pgbench -i -q postgres 2>/dev/null; echo $?
$bin/pgbench -c 4 -j 2 -t 50 --random-seed=1 postgres 2>/dev/null | grep -E 'actually processed|failed'
ask 'select count(*), count(distinct aid), min(bid) from pgbench_accounts'; ask 'select count(*) from pgbench_history'
ask 'select (select sum(abalance) from pgbench_accounts) = (select sum(delta) from pgbench_history)'
ask 'set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0; select sum(aid), avg(aid % 7)::numeric(9, 5) from pgbench_accounts'
ask "do 'declare s int := 0; begin for i in 1 .. 9999 loop s := s + i; end loop; raise exception ''%'', s; end'" 2>&1
ask 'select absent' 2>&1; ask "select regexp_replace('abc', '(b)', '<\\1>'), md5('x'), 1 / 3::numeric"
ask 'select pg_terminate_backend(pg_backend_pid())' 2>&1 | head -1
$bin/pg_dump -t pgbench_branches postgres | grep -vE '^(--|\\\\(un)?restrict|1)' | sha256sum
$AS $bin/pg_ctl -D d -m fast stop >/dev/null; echo $?; cd ..; rm -rf pg
"""

MARIADB = SHELL + """me=$(id -un); mariadb-install-db --no-defaults --user="$me" --datadir="$PWD/d" --auth-root-authentication-method=normal --skip-test-db >/dev/null 2>&1; echo $?
mariadbd --no-defaults --user="$me" --datadir="$PWD/d" --socket="$PWD/s" --skip-networking --pid-file="$PWD/pid" --innodb-flush-method=fsync >/dev/null 2>&1 &
ask() { mariadb --no-defaults -uroot -S s -N -e "$1"; }
wait_for ask 'select 1'
ask 'create database b; use b; create table t (a int primary key, b int) engine = innodb; insert into t select seq, seq % 7 from seq_1_to_5000'
for n in 1 2 3 4; do for i in 1 2 3 4 5; do echo "update b.t set b = b + $n where a % 5 = $i - 1;"; done | mariadb --no-defaults -uroot -S s & clients="$clients $!"; done
wait $clients; ask 'select count(*), sum(b), max(b) from b.t'; ask 'select absent' 2>&1; ask 'select sha2("x", 256), 1 / 3, json_value("[1, 2]", "$[1]")'
ask shutdown; wait; echo $?; rm -rf d s
"""

SSHD = SHELL + """ssh-keygen -q -t ed25519 -N '' -f host; ssh-keygen -q -t ed25519 -N '' -f key; mkdir -p /run/sshd
/usr/sbin/sshd -D -f /dev/null -h "$PWD/host" -p 48735 -o ListenAddress=127.0.0.1 -o StrictModes=no -o PidFile=none -o UsePAM=no \\
  -o PermitRootLogin=yes -o AuthorizedKeysFile="$PWD/key.pub" -o LogLevel=QUIET -o Subsystem="sftp internal-sftp" &
O="-F none -i $PWD/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=QUIET -o BatchMode=yes"
wait_for ssh $O -p 48735 127.0.0.1 true; seq 1 20000 > f
ssh $O -p 48735 127.0.0.1 'sha256sum; echo err >&2; exit 7' < f; echo $?; sftp -q $O -P 48735 -b - 127.0.0.1:"$PWD" <<END
get f g
END
cmp f g && echo same; kill $!; wait; rm -f host* key*
"""

PAGE = "".join("%d squared is %d\n" % (n, n * n) for n in range(2000))

# As JOBS of programs.py.
JOBS = {
    "nginx": ("nginx apache2-utils curl", "nginx ab curl", {"nginx.conf": NGINX_CONF, "page": PAGE}, NGINX),
    "apache": ("apache2-bin apache2-utils curl", "apache2 ab curl", {"apache.conf": APACHE_CONF, "page": PAGE}, APACHE),
    "lighttpd": ("lighttpd apache2-utils curl", "lighttpd ab curl", {"lighttpd.conf": LIGHTTPD_CONF, "page": PAGE}, LIGHTTPD),
    "redis": ("redis-server redis-tools", "redis-server redis-cli", {}, REDIS),
    "memcached": ("memcached python3", "memcached python3", {"client.py": MEMCACHED_CLIENT}, MEMCACHED),
    "postgresql": ("postgresql", "pg_ctlcluster", {}, POSTGRESQL),
    "mariadb": ("mariadb-server-core mariadb-client-core", "mariadbd mariadb", {}, MARIADB),
    "sshd": ("openssh-server openssh-client", "sshd ssh", {}, SSHD),
}
