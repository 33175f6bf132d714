-- things real scripts do, in one go, compared with Tarantool
local ok, popen = pcall(require, 'popen') print(ok, type(popen))
print(type(require('socket').iowait), pcall(require('socket').tcp_connect, 'x', 1))
for _, m in ipairs({'net.box','http.client','merger','xlog','swim','iconv','crypto','pickle','metrics','config','csv','key_def','buffer','digest','uuid','errno','pwd','title','utf8','uri','tap','console','log','clock','fiber','json','yaml','msgpack','msgpackffi','decimal','datetime','table.new','table.clear','internal.argparse','tarantool','compat','trigger','experimental.config','luadebug', 'help','jit.util','jit.p', 'ulid'}) do
  local ok, e = pcall(require, m)
  if not ok then print(m, (tostring(e):gsub('\n.*', ''))) end
end
print(_TARANTOOL)
