// A strict stand-in for llama.cpp's server over cpp-httplib, its own HTTP library. Flags and answers are those of
// tools/server/README.md: an unknown flag ends it, /health is 503 "Loading model" until the model is loaded. The model
// file says how it behaves: "GGUF", then words such as "load=200" (ms), "fail" (it cannot be loaded) and
// "upstream=1234" (the port of the scripted model that answers its chats).
#include <cstdlib>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>

// Over a socket: httplib's own client differs in size where the library was built with TLS. HTTP/1.0, so that the body
// ends with the connection.
static std::string chatOf(int port, const std::string &body) {
  const int to = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (connect(to, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0) {
    const std::string request =
        "POST /v1/chat/completions HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    send(to, request.data(), request.size(), 0);
    char chunk[4096];
    for (ssize_t count; (count = recv(to, chunk, sizeof chunk, 0)) > 0;) answer.append(chunk, count);
  }
  close(to);
  return answer;
}

int main(int argc, char **argv) {
  const std::set<std::string> valued = {"--model", "--alias", "--host", "--port", "--ctx-size",
                                        "--parallel", "--n-gpu-layers", "--threads"};
  const std::set<std::string> plain = {"--jinja", "--no-webui"};
  std::map<std::string, std::string> given;
  for (int at = 1; at < argc; at++) {
    const std::string flag = argv[at];
    if (plain.count(flag)) {
      given[flag] = "";
    } else if (valued.count(flag) && at + 1 < argc) {
      given[flag] = argv[++at];
    } else {
      std::cerr << "error: invalid argument: " << flag << std::endl;
      return 1;
    }
  }
  std::ifstream file(given["--model"], std::ios::binary);
  std::string magic;
  file >> magic;
  std::cerr << "main: loading model" << std::endl;
  if (magic != "GGUF") {
    std::cerr << "error: failed to load model, '" << given["--model"] << "'" << std::endl;
    return 1;
  }
  int load = 0, upstream = 0;
  for (std::string word; file >> word;) {
    if (word.rfind("load=", 0) == 0) load = std::stoi(word.substr(5));
    if (word.rfind("upstream=", 0) == 0) upstream = std::stoi(word.substr(9));
    if (word == "end") break;
    if (word == "fail") {
      std::cerr << "error: unable to allocate CUDA0 buffer" << std::endl;
      return 1;
    }
  }
  std::atomic<bool> loaded{false};
  httplib::Server server;
  // As middleware_validate_api_key of tools/server/server-http.cpp.
  const char *set = std::getenv("LLAMA_API_KEY");
  const std::string key = set == nullptr ? "" : set;
  server.set_pre_routing_handler([&](const httplib::Request &request, httplib::Response &response) {
    const bool open = request.path == "/health" || key.empty();
    if (loaded && !open && request.get_header_value("Authorization") != "Bearer " + key) {
      response.status = 401;
      response.set_content(
          R"({"error":{"message":"Invalid API Key","type":"authentication_error","code":401}})",
          "application/json");
      return httplib::Server::HandlerResponse::Handled;
    }
    if (loaded) return httplib::Server::HandlerResponse::Unhandled;
    response.status = 503;
    response.set_content(
        R"({"error":{"message":"Loading model","type":"unavailable_error","code":503}})",
        "application/json");
    return httplib::Server::HandlerResponse::Handled;
  });
  server.Get("/health", [](const httplib::Request &, httplib::Response &response) {
    response.set_content(R"({"status":"ok"})", "application/json");
  });
  server.Get("/v1/models", [&](const httplib::Request &, httplib::Response &response) {
    response.set_content(R"({"object":"list","data":[{"id":")" + given["--alias"] +
                             R"(","object":"model","owned_by":"llamacpp"}]})",
                         "application/json");
  });
  server.Get("/props", [&](const httplib::Request &, httplib::Response &response) {
    response.set_content(R"({"default_generation_settings":{"n_ctx":)" + given["--ctx-size"] +
                             R"(},"total_slots":)" + given["--parallel"] + R"(,"model_path":")" +
                             given["--model"] + R"("})",
                         "application/json");
  });
  server.Post("/v1/chat/completions", [&](const httplib::Request &request, httplib::Response &response) {
    const std::string answer = chatOf(upstream, request.body);
    const auto head = answer.find("\r\n\r\n");
    if (head == std::string::npos) {
      response.status = 500;
      return;
    }
    response.status = std::stoi(answer.substr(answer.find(' ') + 1, 3));
    const bool events = answer.substr(0, head).find("text/event-stream") != std::string::npos;
    response.set_content(answer.substr(head + 4), events ? "text/event-stream" : "application/json");
  });
  if (!server.bind_to_port(given["--host"], std::stoi(given["--port"]))) {
    std::cerr << "couldn't bind HTTP server socket, hostname: " << given["--host"]
              << ", port: " << given["--port"] << std::endl;
    return 1;
  }
  std::thread loading([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(load));
    loaded = true;
    std::cerr << "main: model loaded" << std::endl;
  });
  std::cerr << "main: server is listening on http://" << given["--host"] << ":" << given["--port"]
            << std::endl;
  server.listen_after_bind();
  loading.join();
}
