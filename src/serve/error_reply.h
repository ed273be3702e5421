#pragma once

#include <string_view>

#include "base/result.h"
#include "serve/http_message.h"

namespace npuprof::serve {

// {"error": {"code": ..., "message": ...}}
HttpReply error_reply(int status, std::string_view code, std::string_view message);
HttpReply error_reply(const Error& error);

HttpReply json_reply(std::string json);

}  // namespace npuprof::serve
