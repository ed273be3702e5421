#include "serve/error_reply.h"

#include <string>
#include <utility>

#include "base/json_writer.h"

namespace npuprof::serve {
namespace {

struct ErrorForm {
  int status;
  std::string_view code;
};

ErrorForm form_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
      return {404, "not_found"};
    case ErrorCode::kInvalidArgument:
      return {400, "bad_request"};
    case ErrorCode::kNoData:
      return {404, "no_data"};
    case ErrorCode::kCancelled:
      return {409, "loading"};
    case ErrorCode::kUnsupported:
      return {404, "unsupported"};
    default:
      return {500, "failed"};
  }
}

}  // namespace

HttpReply json_reply(std::string json) {
  return {.type = "application/json; charset=utf-8", .body = std::move(json)};
}

HttpReply error_reply(int status, std::string_view code, std::string_view message) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("error").begin_object();
  json.member("code", code).member("message", message);
  json.end_object().end_object();
  HttpReply reply = json_reply(std::move(text));
  reply.status = status;
  return reply;
}

HttpReply error_reply(const Error& error) {
  const ErrorForm form = form_of(error.code);
  return error_reply(form.status, form.code, error.message);
}

}  // namespace npuprof::serve
